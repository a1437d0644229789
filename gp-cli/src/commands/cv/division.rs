//! The rows that each part of a cross-validation scores, and those that its model learns from.

use crate::data::Frame;
use crate::error::CliError;
use serde_json::Value;
use std::collections::BTreeSet;

/// The rows that a part scores, and those that its model learns from, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) test: Vec<usize>,
    pub(super) training: Vec<usize>,
}

/// All parts, and how they were made.
#[derive(Clone, Debug)]
pub(super) struct Division {
    pub(super) parts: Vec<Part>,
    /// For people, a line each.
    pub(super) words: Vec<String>,
    /// For programs: how, and an entry for each part.
    pub(super) json: Value,
}

impl Division {
    /// Refuses parts with labels that their models would not know.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data), with the first of them.
    pub(super) fn check_labels(&self, frame: &Frame, target: &str) -> Result<(), CliError> {
        let column = frame.require(&[target])?[0];
        for (fold, part) in self.parts.iter().enumerate() {
            let known: BTreeSet<String> = part.training.iter().map(|&row| column.text(row)).collect();
            if let Some(&row) = part.test.iter().find(|&&row| !known.contains(&column.text(row))) {
                let label = column.text(row);
                let what = format!(
                    "label `{label}` is in fold {fold}, and in no row that its model learns from; leave out such rows, or make other folds"
                );
                return Err(frame.fault(row, target, &what));
            }
        }
        Ok(())
    }

    /// Each model learns from all rows but those that it is scored on.
    pub(super) fn of_the_rest(tests: Vec<Vec<usize>>, rows: usize, words: Vec<String>, json: Value) -> Self {
        let part = |test: Vec<usize>| {
            let held_out: BTreeSet<usize> = test.iter().copied().collect();
            let training = (0..rows).filter(|row| !held_out.contains(row)).collect();
            Part { test, training }
        };
        Self { parts: tests.into_iter().map(part).collect(), words, json }
    }
}
