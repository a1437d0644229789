//! Influence of inputs at training rows.

use super::sample::Sample;
use crate::encode::Inputs;
use crate::error::CliError;
use crate::influence::of_points;
use crate::method::TrainingRows;
use crate::model::{Approximation, FurtherTarget, Influence, of_output};
use faer::Mat;
use gp_ep::DataSource as _;

const ROWS: usize = 1_000;

pub(crate) fn of_rows(
    posterior: &Approximation,
    inputs: &Inputs,
    rows: &TrainingRows,
    seed: u64,
) -> Result<Vec<Influence>, CliError> {
    let some = Sample::at_most(rows, ROWS, seed)?.rows;
    let (points, outputs) = (some.whole()?.0, some.outputs());
    if outputs == posterior.likelihood().outputs() {
        return of_points(posterior, inputs, points, (rows.count(), seed));
    }
    // The last column of an adjusted observation is the weight.
    let chosen = by_weight(&some.column(outputs - 1)?);
    let points = Mat::from_fn(chosen.len(), points.ncols(), |i, d| points[(chosen[i], d)]);
    of_points(posterior, inputs, points.as_ref(), (rows.count(), seed))
}

/// Rows resampled by weight.
fn by_weight(weights: &[f64]) -> Vec<usize> {
    let step = weights.iter().sum::<f64>() / weights.len() as f64;
    let (mut chosen, mut end) = (Vec::with_capacity(weights.len()), 0.0);
    for (row, weight) in weights.iter().enumerate() {
        end += weight;
        while chosen.len() < weights.len() && (chosen.len() as f64 + 0.5) * step < end {
            chosen.push(row);
        }
    }
    chosen
}

/// Influences per target if targets own or mix latents, otherwise per latent.
pub(super) fn of_targets(
    posterior: &Approximation,
    inputs: &Inputs,
    rows: &TrainingRows,
    targets: &[FurtherTarget],
    seed: u64,
) -> Result<Vec<Influence>, CliError> {
    let likelihood = posterior.likelihood();
    if targets.len() < 2 || (likelihood.own_latent(0).is_none() && likelihood.mixing().is_none()) {
        return of_rows(posterior, inputs, rows, seed);
    }
    let (some, mut found) = (Sample::at_most(rows, ROWS, seed)?.rows, Vec::new());
    let (points, seen) = (some.whole()?.0, (rows.count(), seed));
    for (output, of) in targets.iter().enumerate() {
        let (one, latents) = of_output(posterior, output)?;
        found.extend(of_points(&one, inputs, points, seen)?.into_iter().map(|influence| Influence {
            latents: latents.clone(),
            target: Some(of.target.name.clone()),
            ..influence
        }));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_as_often_as_they_weigh() {
        assert_eq!(by_weight(&[0.3; 5]), [0, 1, 2, 3, 4]);
        assert_eq!(by_weight(&[2.0, 1.0, 1.0, 4.0]), [0, 2, 3, 3]);
        assert_eq!(by_weight(&[1e-3, 1.0, 1e-3]), [1, 1, 1]);
    }
}
