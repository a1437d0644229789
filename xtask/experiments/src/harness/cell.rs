//! Runs and their results.

use super::{Effort, Form, Origin};
use crate::error::ExperimentError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Identity of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// Data set, such as `pima`.
    pub data: String,
    /// Variation besides the method, such as `M=15%`.
    pub setting: String,
    /// Method, such as `sep`.
    pub method: String,
    /// Split, from 0.
    pub split: usize,
}

impl Cell {
    /// Cell from names and split.
    pub fn new(
        data: impl Into<String>,
        setting: impl Into<String>,
        method: impl Into<String>,
        split: usize,
    ) -> Self {
        Self { data: data.into(), setting: setting.into(), method: method.into(), split }
    }

    /// Error: unknown cell.
    #[must_use]
    pub fn unknown(&self) -> ExperimentError {
        ExperimentError::NoCell { cell: self.to_string() }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { data, setting, method, split } = self;
        write!(f, "{data}, {setting}, {method}, split {split}")
    }
}

/// Result of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Scores such as `nll`, `error`, `seconds`.
    pub scores: BTreeMap<String, f64>,
    /// Curves such as `nll by seconds`, left to right.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub curves: BTreeMap<String, Vec<(f64, f64)>>,
    /// Training record; None in old lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
}

impl Outcome {
    /// Outcome with these scores.
    pub fn of<const N: usize>(scores: [(&str, f64); N]) -> Self {
        let scores = scores.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { scores, ..Self::default() }
    }

    /// Adds a score.
    #[must_use]
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.scores.insert(name.to_owned(), value);
        self
    }

    /// Adds a curve.
    #[must_use]
    pub fn with_curve(mut self, name: &str, points: Vec<(f64, f64)>) -> Self {
        self.curves.insert(name.to_owned(), points);
        self
    }

    /// Adds a training record.
    #[must_use]
    pub fn by(mut self, effort: Effort) -> Self {
        self.effort = Some(effort);
        self
    }

    /// Name of a non-finite score or curve.
    #[must_use]
    pub fn not_finite(&self) -> Option<&str> {
        let score = self.scores.iter().find(|(_, value)| !value.is_finite()).map(|(name, _)| name);
        let is_bad = |points: &[(f64, f64)]| points.iter().any(|(x, y)| !x.is_finite() || !y.is_finite());
        let curve = || self.curves.iter().find(|(_, points)| is_bad(points)).map(|(name, _)| name);
        score.or_else(curve).map(String::as_str)
    }
}

/// Result line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Identity of the run.
    #[serde(flatten)]
    pub cell: Cell,
    /// Empty after a failure.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// [Protocol](super::Item::protocol) version.
    #[serde(default = "first")]
    pub protocol: u32,
    /// [`Form::Full`] if the full item has the same run; None in old lines, which are reduced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// Reason of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Commit and machine.
    pub origin: Origin,
}

/// Protocol of old lines.
fn first() -> u32 {
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_one_line_and_read_back() {
        let record = Record {
            cell: Cell::new("pima", "M=15%", "ep", 3),
            outcome: Outcome::of([("nll", 0.1 + 0.2)])
                .with_curve("nll by seconds", vec![(1.0, 2.0)])
                .by(Effort::ended("done", 3)),
            protocol: 2,
            form: Some(Form::Full),
            failure: None,
            origin: Origin::unknown(),
        };
        let text = serde_json::to_string(&record).unwrap();
        assert!(!text.contains('\n'));
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    }

    #[test]
    fn lines_of_old_are_read_too() {
        let old = r#"{"data":"d","setting":"s","method":"m","split":0,"scores":{"nll":1.0},"origin":{"commit":"c","machine":"m"}}"#;
        let record: Record = serde_json::from_str(old).unwrap();
        assert_eq!((record.protocol, record.form, record.outcome.effort), (1, None, None));
    }

    #[test]
    fn scores_and_curves_that_are_no_numbers_are_seen() {
        assert_eq!(Outcome::of([("nll", 1.0), ("error", f64::NAN)]).not_finite(), Some("error"));
        let curve = Outcome::default().with_curve("c", vec![(0.0, f64::INFINITY)]);
        assert_eq!(curve.not_finite(), Some("c"));
        assert_eq!(Outcome::of([("nll", 1.0)]).not_finite(), None);
    }
}
