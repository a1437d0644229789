//! Task: regression, counts or classification.

use super::task_flag::TaskChoice;
use serde::Serialize;

/// Kind of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Number.
    Regression,
    /// One of two labels.
    Binary,
    /// One of several labels.
    Multiclass,
    /// Number of events: 0, 1, …
    Count,
    /// One of several ordered labels.
    Ordinal,
}

impl Task {
    fn words(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Binary => "binary classification",
            Self::Multiclass => "multi-class classification",
            Self::Count => "regression of counts",
            Self::Ordinal => "ordinal regression",
        }
    }
}

impl From<Task> for TaskChoice {
    fn from(task: Task) -> Self {
        match task {
            Task::Regression => Self::Regression,
            Task::Binary => Self::Binary,
            Task::Multiclass => Self::Multiclass,
            Task::Count => Self::Count,
            Task::Ordinal => Self::Ordinal,
        }
    }
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}
