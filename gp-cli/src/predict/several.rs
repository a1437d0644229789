//! Predictions of several targets: the columns of each with its name, and the log density of those that are there.

use super::{LOG_DENSITY, Wanted, push_numbers};
use crate::data::Frame;
use crate::error::CliError;
use crate::latents::push_latents;
use crate::model::Model;
use crate::out::{Cells, OutTable};
use faer::MatRef;
use gp_kernels::posterior::LatentBeliefs;

/// Adds predictions of each target, such as `mean(a)` and `lower(a)(0.5)`; latent functions of one target
/// are named after it, shared ones numbered.
pub(super) fn push_targets(
    table: &mut OutTable,
    (model, points): (&Model, MatRef<'_, f64>),
    beliefs: &LatentBeliefs,
    wanted: &Wanted,
) -> Result<(), CliError> {
    let own_latents = model.posterior().likelihood().own_latent(0).is_some();
    for one in model.by_target()? {
        let mut own = OutTable::default();
        let beliefs = one.posterior().beliefs(points)?;
        push_numbers(&mut own, &one, &beliefs, wanted)?;
        if wanted.latent && own_latents {
            push_latents(&mut own, &one, &beliefs);
        }
        for (name, cells) in own.columns() {
            let name = of_target(name, &one.target().name);
            match cells.clone() {
                Cells::Numbers(numbers) => table.push_numbers(name, numbers),
                Cells::Dates(days) => table.push_dates(name, days),
                Cells::Words(words) => table.push_words(name, words),
            }
        }
    }
    if wanted.latent && !own_latents {
        push_shared_latents(table, beliefs);
    }
    Ok(())
}

/// Latent functions that targets share have numbers, and no units but their own.
fn push_shared_latents(table: &mut OutTable, beliefs: &LatentBeliefs) {
    for (q, function) in beliefs.functions().iter().enumerate() {
        table.push_numbers(format!("latent_mean({q})"), function.mean.clone());
        table.push_numbers(format!("latent_variance({q})"), function.variance.clone());
    }
}

/// The name of a column with that of a target in it.
fn of_target(column: &str, target: &str) -> String {
    match column.split_once('(') {
        Some((stem, rest)) => format!("{stem}({target})({rest}"),
        None => format!("{column}({target})"),
    }
}

/// The log density of the targets of each row that are there, all together; returns the rows that have one.
pub(super) fn push_densities(
    table: &mut OutTable,
    model: &Model,
    frame: &Frame,
    beliefs: &LatentBeliefs,
) -> Result<Vec<usize>, CliError> {
    let Some(densities) = log_densities(model, frame, beliefs)? else { return Ok(Vec::new()) };
    let rows = (0..densities.len()).filter(|&row| !densities[row].is_nan()).collect();
    table.push_numbers(LOG_DENSITY, densities);
    Ok(rows)
}

/// The log density of the targets of each row that are there, in the units of the data; NaN where none is. Nothing for a table
/// without any of them.
///
/// # Errors
/// Of kind [`Data`](crate::ErrorKind::Data) for a target that is no number.
pub(crate) fn log_densities(
    model: &Model,
    frame: &Frame,
    beliefs: &LatentBeliefs,
) -> Result<Option<Vec<f64>>, CliError> {
    let Some(observations) = model.observations(frame)? else { return Ok(None) };
    let scales: Vec<f64> = model.targets().iter().map(|target| target.scale().scale.ln()).collect();
    let (outputs, by) = (scales.len(), model.posterior());
    // What cannot be asked of a row without a target is asked of one with some other.
    let filled: Vec<f64> = observations
        .chunks_exact(outputs)
        .flat_map(|row| {
            let is_empty = row.iter().all(|y| y.is_nan());
            row.iter().enumerate().map(move |(place, y)| if is_empty && place == 0 { 0.0 } else { *y })
        })
        .collect();
    let densities = by.given(beliefs).log_densities(&filled)?;
    let rows = densities.iter().zip(observations.chunks_exact(outputs));
    let density = |(density, row): (&f64, &[f64])| {
        let there = row.iter().zip(&scales).filter(|(y, _)| !y.is_nan());
        let (count, units) = there.fold((0, 0.0), |(count, sum), (_, scale)| (count + 1, sum + scale));
        if count == 0 { f64::NAN } else { density - units }
    };
    Ok(Some(rows.map(density).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_called_by_their_target() {
        assert_eq!(of_target("mean", "a"), "mean(a)");
        assert_eq!(of_target("lower(0.5)", "a"), "lower(a)(0.5)");
        assert_eq!(of_target("q0.1", "b c"), "q0.1(b c)");
    }
}
