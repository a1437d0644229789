//! Extent of an item's runs.

use serde::{Deserialize, Serialize};

/// Extent of an item's runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// The paper's extent.
    Full,
    /// Fewer or shorter runs.
    #[default]
    Reduced,
    /// One split of small synthetic data.
    Quick,
}

/// Form and optional number of splits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Selected form.
    pub form: Form,
    /// Requested number of splits.
    pub splits: Option<usize>,
}

impl Extent {
    /// Value by form.
    pub fn choose<T>(&self, full: T, reduced: T, quick: T) -> T {
        match self.form {
            Form::Full => full,
            Form::Reduced => reduced,
            Form::Quick => quick,
        }
    }

    /// Requested splits, else the form's; at most `all`.
    #[must_use]
    pub fn splits(&self, all: usize, reduced: usize) -> usize {
        self.splits.unwrap_or_else(|| self.choose(all, reduced, 1)).min(all)
    }
}
