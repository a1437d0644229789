//! Division into folds by options.

use super::division::Division;
use super::groups::Groups;
use super::rolling::Rolling;
use super::splits::{left_in_splits, splits};
use super::{CvOptions, FOLDS};
use crate::context::Context;
use crate::data::{Column, Frame};
use crate::encode::class_labels;
use crate::error::{CliError, ErrorKind};
use crate::left_out::counted;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

/// Maximum number of labels for stratification.
const FEW_LABELS: usize = 26;
const ONE_ROW: &str = "each fold is one row: scores are means over rows, where rmse is the absolute error and ece has no meaning";

/// Folds of `frame`, from which `left_out` of `rows` are dropped.
pub(super) fn divide(
    options: &CvOptions,
    context: &Context,
    frame: &Frame,
    (rows, left_out): (usize, &[usize]),
) -> Result<Division, CliError> {
    let (asked, seed) = (options.folds.map(usize::from), options.spec.seed);
    let count = asked.unwrap_or(FOLDS);
    // Several targets are numbers, for which folds are not stratified.
    let target = match options.spec.targets()? {
        [target] => Some(frame.require(&[target])?[0]),
        _ => None,
    };
    if let Some(name) = &options.groups {
        let groups = Groups::of(frame, name, target.and_then(labels))?;
        return groups.divide(asked.unwrap_or_else(|| groups.default_folds(FOLDS)), seed);
    }
    if let Some(name) = &options.rolling {
        let (gap, window) = (options.gap.unwrap_or(0.0), options.window);
        return Rolling::along(frame, name, gap, window)?.divide(count);
    }
    let tests = match &options.splits {
        Some(path) => left_in_splits(splits(&path.to_string_lossy(), rows, &context.formats)?, left_out)?,
        None => shuffled(frame, target, count, seed)?,
    };
    let mut words =
        vec![format!("{} of {}", counted(tests.len(), "fold"), counted(frame.row_count(), "row"))];
    if tests.iter().all(|test| test.len() == 1) {
        words.push(ONE_ROW.to_owned());
    }
    let by = if options.splits.is_some() { "splits" } else { "rows" };
    Ok(Division::of_the_rest(tests, frame.row_count(), words, json!({ "by": by })))
}

fn labels(target: &Column) -> Option<Vec<usize>> {
    let known = class_labels(target);
    let place = |row| known.iter().position(|label| *label == target.text(row)).unwrap_or(0);
    (known.len() <= FEW_LABELS).then(|| (0..target.values().len()).map(place).collect())
}

fn shuffled(
    frame: &Frame,
    target: Option<&Column>,
    count: usize,
    seed: u64,
) -> Result<Vec<Vec<usize>>, CliError> {
    let rows = frame.row_count();
    if rows < 2 {
        return Err(CliError::new(
            ErrorKind::Data,
            format!("{} cannot be divided into folds", counted(rows, "row")),
        ));
    }
    if rows < count {
        let message = format!(
            "{} of {} leave parts without a row; --folds {rows} leaves out one row at a time, fewer leave out more",
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
