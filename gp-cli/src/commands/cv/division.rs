//! Which rows each part of a cross-validation scores, and which its model learns from.

use super::CvOptions;
use super::groups::Groups;
use super::rolling::Rolling;
use super::splits::{left_in_splits, splits};
use crate::context::Context;
use crate::data::{Column, Frame};
use crate::encode::class_labels;
use crate::error::{CliError, ErrorKind};
use crate::left_out::counted;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Targets of at most so many different values are labels, which are shared out evenly.
const FEW_LABELS: usize = 26;

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
    /// Parts as the options say. `rows` are those of the file, `left_out` those of them that `frame` does not have.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data) for a table that has no such parts.
    pub(super) fn new(
        options: &CvOptions,
        context: &Context,
        frame: &Frame,
        (rows, left_out): (usize, &[usize]),
    ) -> Result<Self, CliError> {
        let (count, seed) = (usize::from(options.folds), options.spec.seed);
        // Several targets are no labels, and one of them may be missing.
        let target = match options.spec.targets()? {
            [target] => Some(frame.require(&[target])?[0]),
            _ => None,
        };
        if let Some(name) = &options.groups {
            return Groups::of(frame, name, target.and_then(labels))?.divide(count, seed);
        }
        if let Some(name) = &options.rolling {
            let (gap, window) = (options.gap.unwrap_or(0.0), options.window);
            return Rolling::along(frame, name, gap, window)?.divide(count);
        }
        let tests = match &options.splits {
            Some(path) => left_in_splits(splits(&path.to_string_lossy(), rows, &context.formats)?, left_out)?,
            None => shuffled(frame, target, count, seed)?,
        };
        let words =
            vec![format!("{} of {}", counted(tests.len(), "fold"), counted(frame.row_count(), "row"))];
        let by = if options.splits.is_some() { "splits" } else { "rows" };
        Ok(Self::of_the_rest(tests, frame.row_count(), words, json!({ "by": by })))
    }

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

/// The label of each row by its place among all labels, where there are few of them.
fn labels(target: &Column) -> Option<Vec<usize>> {
    let known = class_labels(target);
    let place = |row| known.iter().position(|label| *label == target.text(row)).unwrap_or(0);
    (known.len() <= FEW_LABELS).then(|| (0..target.values().len()).map(place).collect())
}

/// Rows dealt out after a shuffle; where the target has few values, each of them by itself, so that every part has its
/// share.
fn shuffled(
    frame: &Frame,
    target: Option<&Column>,
    count: usize,
    seed: u64,
) -> Result<Vec<Vec<usize>>, CliError> {
    let rows = frame.row_count();
    if rows < 2 * count {
        let message = format!(
            "{} of {} leave parts of one row or none; take fewer with --folds",
            counted(count, "fold"),
            counted(rows, "row")
        );
        return Err(CliError::new(ErrorKind::Data, message));
    }
    let mut order: Vec<usize> = (0..rows).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    if let Some(target) = target.filter(|target| class_labels(target).len() <= FEW_LABELS) {
        order.sort_by_cached_key(|&row| target.text(row));
    }
    let mut parts = vec![Vec::new(); count];
    order.into_iter().enumerate().for_each(|(place, row)| parts[place % count].push(row));
    parts.iter_mut().for_each(|part| part.sort_unstable());
    Ok(parts)
}
