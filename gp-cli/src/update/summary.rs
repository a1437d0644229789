//! Distribution of the targets with those of an update.

use crate::data::Frame;
use crate::encode::{RoleValues, Target};
use crate::error::CliError;
use crate::model::{BareMoments, Model, TargetSummary};
use crate::rates::{has_rates, of_rates};
use crate::weighted_rows::WeightedRows;

/// Summaries per target, as at the end of a fit of all rows.
pub(super) fn summaries(model: &Model, frame: &Frame) -> Result<Vec<TargetSummary>, CliError> {
    let (about, support) = (model.about(), model.posterior().likelihood().support());
    let known = [&about.summary].into_iter().chain(about.others.iter().map(|other| &other.summary));
    let of_target = |(place, (target, known)): (usize, (&Target, &TargetSummary))| {
        let Some(column) = frame.column(&target.name) else { return Ok(known.clone()) };
        let rows = frame.complete_rows(&[column]);
        if rows.is_empty() {
            return Ok(known.clone());
        }
        let part = frame.rows(&rows)?;
        let new = new_summary(model, (place, target), &part, &target.encode(&part, support)?)?;
        let before = about.training.rows_of_targets.get(place).copied().unwrap_or(about.training.rows);
        Ok(known.with(before as f64, &new, rows.len() as f64))
    };
    model.targets().into_iter().zip(known).enumerate().map(of_target).collect()
}

fn new_summary(
    model: &Model,
    (place, target): (usize, &Target),
    frame: &Frame,
    observations: &[f64],
) -> Result<TargetSummary, CliError> {
    let (likelihood, roles) = (model.posterior().likelihood(), model.about().roles.of_target(place));
    let (values, adjuster) = (RoleValues::of_observations(&roles, frame)?, model.adjuster());
    let (offsets, weights) = values.rows().iter().map(|row| (adjuster.offset(row), row.weight)).unzip();
    let rows = WeightedRows::new(offsets, weights);
    if let Some(labels) = target.labels() {
        let is_class = |class: usize, row: usize| observations[row] == likelihood.support().label(class);
        let share = |class| rows.mean(|row| f64::from(u8::from(is_class(class, row))));
        return Ok(TargetSummary::Frequencies((0..labels.len()).map(share).collect()));
    }
    let y: Vec<f64> = observations.iter().map(|&y| target.scale().undo(y)).collect();
    let (mean, variance) = moments(&y, &rows);
    let bare = if has_rates(likelihood, &roles) {
        of_rates(likelihood.support(), &y, &rows)
    } else if adjuster.moves_target() {
        let moved: Vec<f64> = y.iter().zip(values.rows()).map(|(y, row)| y - row.offset).collect();
        let (mean, variance) = moments(&moved, &rows);
        Some(BareMoments { mean, variance, exposure: 1.0 })
    } else {
        None
    };
    Ok(TargetSummary::Moments { mean, variance, bare })
}

fn moments(y: &[f64], rows: &WeightedRows) -> (f64, f64) {
    let mean = rows.mean(|row| y[row]);
    (mean, rows.mean(|row| (y[row] - mean).powi(2)))
}
