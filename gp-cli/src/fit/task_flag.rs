//! Values of `--task`.

use clap::ValueEnum;
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use serde::Serialize;
use std::ffi::OsStr;

/// Kind of the target, or automatic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskChoice {
    /// Chosen from the target's values
    Auto,
    /// A number
    Regression,
    /// One of two labels
    Binary,
    /// One of several labels
    Multiclass,
    /// A count of events
    Count,
    /// One of several ordered labels
    Ordinal,
}

const ELSEWHERE: [(&[&str], &str); 2] = [
    (
        &["classification", "classify", "classifier", "class", "classes"],
        "say binary for two labels, multiclass for several, or ordinal for labels with an order; without --task, the values of the target decide",
    ),
    (
        &["poisson", "counts", "negative_binomial"],
        "say count for numbers of events; --likelihood poisson or negative_binomial says how they scatter",
    ),
];

#[derive(Clone, Debug)]
pub(super) struct TaskParser(EnumValueParser<TaskChoice>);

impl TaskParser {
    pub(super) fn new() -> Self {
        Self(EnumValueParser::new())
    }
}

impl TypedValueParser for TaskParser {
    type Value = TaskChoice;

    fn parse_ref(
        &self,
        command: &clap::Command,
        flag: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<TaskChoice, clap::Error> {
        let said = value.to_string_lossy().to_lowercase();
        let advice = ELSEWHERE.iter().find(|(words, _)| words.contains(&said.as_str()));
        match advice {
            None => self.0.parse_ref(command, flag, value),
            Some((_, advice)) => {
                let what = format!("there is no task `{said}`; {advice}\n");
                Err(clap::Error::raw(ErrorKind::ValueValidation, what).with_cmd(command))
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}
