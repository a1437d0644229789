//! Predictions of several targets, and joint log densities.

use super::{LOG_DENSITY, Wanted, push_numbers};
use crate::data::Frame;
use crate::error::CliError;
use crate::latents::{self, push_latents};
use crate::model::{Model, ModelRows};
use crate::out::{Cells, OutTable};
use crate::parts;
use faer::MatRef;
use gp_ep::Posterior as _;
use gp_kernels::posterior::LatentBeliefs;

/// Adds columns such as `mean(a)` and `lower(a)(0.5)`. A target's own latent is named after it; shared
/// latents are numbered.
pub(crate) fn push_targets(
    table: &mut OutTable,
    (model, frame, seen): (&Model, Option<&Frame>, &ModelRows),
    functions: &LatentBeliefs,
    wanted: &Wanted,
) -> Result<(), CliError> {
    let own_latents = model.posterior().likelihood().own_latent(0).is_some();
    for (place, one) in model.by_target()?.into_iter().enumerate() {
        let mut own = OutTable::default();
        let seen = match frame {
            Some(frame) => one.with_roles(frame, seen.clone())?,
            None => seen.clone(),
        };
        let own_functions = own_beliefs((model, place), &one, functions);
        let functions = own_functions.map_or_else(|| one.posterior().beliefs(seen.x()), Ok)?;
        push_numbers(&mut own, &one, &seen.behind_observations(functions.clone()), wanted)?;
        if (wanted.latent || wanted.joint) && own_latents {
            push_latents(&mut own, &one, &functions);
        }
        push_named(table, &own, &one.target().name);
    }
    if (wanted.latent || wanted.joint) && !own_latents {
        push_shared_latents(table, model, functions);
    }
    Ok(())
}

/// `None` if `all` lacks the latents of `one`, the model of target `place`.
fn own_beliefs((model, place): (&Model, usize), one: &Model, all: &LatentBeliefs) -> Option<LatentBeliefs> {
    if one.posterior().functions().latent_count() == all.functions().len() {
        return Some(all.clone());
    }
    all.of_function(model.posterior().likelihood().own_latent(place)?.latent)
}

fn push_named(table: &mut OutTable, own: &OutTable, target: &str) {
    for (name, cells) in own.columns() {
        let name = of_target(name, target);
        match cells.clone() {
            Cells::Numbers(numbers) => table.push_numbers(name, numbers),
            Cells::Dates(days) => table.push_dates(name, days),
            Cells::Words(words) => table.push_words(name, words),
        }
    }
}

/// Adds kernel terms per target if each has its own latent, else per latent.
pub(super) fn push_parts(
    table: &mut OutTable,
    model: &Model,
    points: MatRef<'_, f64>,
) -> Result<(), CliError> {
    if !model.has_several_targets() || model.posterior().likelihood().own_latent(0).is_none() {
        return parts::push(table, model, points);
    }
    for one in model.by_target()? {
        let mut own = OutTable::default();
        parts::push(&mut own, &one, points)?;
        push_named(table, &own, &one.target().name);
    }
    Ok(())
}

/// Adds shared latents, in their own units.
fn push_shared_latents(table: &mut OutTable, model: &Model, beliefs: &LatentBeliefs) {
    for (q, function) in beliefs.functions().iter().enumerate() {
        let name = latents::name(model.posterior().likelihood(), q);
        table.push_numbers(format!("latent_mean({name})"), function.mean.clone());
        table.push_numbers(format!("latent_variance({name})"), function.variance.clone());
    }
}

pub(super) fn of_target(column: &str, target: &str) -> String {
    match column.split_once('(') {
        Some((stem, rest)) => format!("{stem}({target})({rest}"),
        None => format!("{column}({target})"),
    }
}

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

/// Joint log density of each row's present targets, in data units; NaN without any. `None` if the table has no target.
pub(crate) fn log_densities(
    model: &Model,
    frame: &Frame,
    beliefs: &LatentBeliefs,
) -> Result<Option<Vec<f64>>, CliError> {
    let roles = &model.about().roles;
    if roles.iter().any(|(role, _)| role.is_by_target()) {
        return sums_of_log_densities(model, frame, beliefs);
    }
    let Some(observations) = model.observations(frame)? else { return Ok(None) };
    let scales: Vec<f64> = model.targets().iter().map(|target| target.scale().scale.ln()).collect();
    let (outputs, by) = (scales.len(), model.posterior());
    // Rows without a target get a placeholder for the evaluation.
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

/// Sums for independent targets, one latent each, with their own offsets or known noise.
fn sums_of_log_densities(
    model: &Model,
    frame: &Frame,
    beliefs: &LatentBeliefs,
) -> Result<Option<Vec<f64>>, CliError> {
    let mut sums: Option<Vec<f64>> = None;
    for (place, one) in model.by_target()?.into_iter().enumerate() {
        let Some(column) = frame.column(&one.target().name) else { continue };
        let sums = sums.get_or_insert_with(|| vec![f64::NAN; frame.row_count()]);
        let rows = frame.complete_rows(&[column]);
        if rows.is_empty() {
            continue;
        }
        let (part, by) = (frame.rows(&rows)?, one.posterior());
        let observations = one.observations(&part)?.unwrap_or_default();
        let seen = one.encode(&part)?;
        let own = own_beliefs((model, place), &one, beliefs).map(|all| all.at_points(&rows));
        let own = seen.behind_observations(own.map_or_else(|| by.beliefs(seen.x()), Ok)?);
        let densities = super::log_densities(&one, by, &own, &observations)?;
        for (row, density) in rows.into_iter().zip(densities) {
            sums[row] = if sums[row].is_nan() { density } else { sums[row] + density };
        }
    }
    Ok(sums)
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
