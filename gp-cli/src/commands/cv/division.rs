//! Folds.

use crate::data::Frame;
use crate::error::CliError;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) test: Vec<usize>,
    pub(super) training: Vec<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Division {
    pub(super) parts: Vec<Part>,
    pub(super) words: Vec<String>,
    pub(super) json: Value,
}

impl Division {
    pub(super) fn check_labels(&self, frame: &Frame, target: &str) -> Result<(), CliError> {
        let column = frame.require(&[target])?[0];
        let mut numbers = BTreeMap::new();
        let number = |row| {
            let next = numbers.len();
            *numbers.entry(column.text(row)).or_insert(next)
        };
        let label: Vec<usize> = (0..frame.row_count()).map(number).collect();
        for (fold, part) in self.parts.iter().enumerate() {
            let mut known = vec![false; numbers.len()];
            part.training.iter().for_each(|&row| known[label[row]] = true);
            if let Some(&row) = part.test.iter().find(|&&row| !known[label[row]]) {
                let what = format!(
                    "label `{}` is in fold {fold}, and in no row that its model learns from; leave out such rows, or make other folds",
                    column.text(row)
                );
                return Err(frame.fault(row, target, &what));
            }
        }
        Ok(())
    }

    pub(super) fn of_the_rest(tests: Vec<Vec<usize>>, rows: usize, words: Vec<String>, json: Value) -> Self {
        let part = |test: Vec<usize>| {
            let held_out: BTreeSet<usize> = test.iter().copied().collect();
            let training = (0..rows).filter(|row| !held_out.contains(row)).collect();
            Part { test, training }
        };
        Self { parts: tests.into_iter().map(part).collect(), words, json }
    }
}
