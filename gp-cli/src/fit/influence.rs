//! Influence of inputs on the fitted function, by column names.

use super::sample::Sample;
use crate::encode::Inputs;
use crate::error::CliError;
use crate::method::TrainingRows;
use crate::model::{Approximation, FurtherTarget, Influence, InputInfluence, of_output};
use crate::parts::term_names;
use faer::{Mat, MatRef};
use gp_ep::{DataSource as _, Posterior as _, ShareOptions, VarianceShares};

/// Rows used for the variance.
const ROWS: usize = 1_000;
/// Most multiplications, and the same again for ranges: at most about a second.
const MOST_WORK: f64 = 2e10;
/// Fewest rows with the other inputs unchanged for any result.
const LEAST_ROWS: usize = 8;

/// Influence over rows of a fit.
///
/// # Errors
/// [`Numerical`](crate::ErrorKind::Numerical) for rows that cannot be read or predicted.
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

/// Resamples rows by weight; each once for equal weights.
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

/// Influence per target if each is a latent or a mixture of latents, otherwise per latent.
///
/// # Errors
/// As [`of_rows`].
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

/// Influence over points. `rows` are the training rows, for posteriors without inducing inputs.
///
/// # Errors
/// [`Numerical`](crate::ErrorKind::Numerical) for points that cannot be predicted.
pub(crate) fn of_points(
    posterior: &Approximation,
    inputs: &Inputs,
    points: MatRef<'_, f64>,
    (rows, seed): (usize, u64),
) -> Result<Vec<Influence>, CliError> {
    let Some(how) = effort(posterior, inputs, rows, seed) else { return Ok(Vec::new()) };
    let found = posterior.variance_shares(points, &inputs.places(), &how)?;
    Ok(found.iter().map(|shares| named(shares, posterior, inputs)).collect())
}

/// Effort within the work limit; None if too little is left.
fn effort(posterior: &Approximation, inputs: &Inputs, rows: usize, seed: u64) -> Option<ShareOptions> {
    let mut how = ShareOptions::default();
    how.seed = seed;
    let seen = posterior.describe().iter().filter_map(|latent| Some(latent.seen_through?.nrows())).max();
    let (seen, dim) = (seen.unwrap_or(rows) as f64, inputs.dim() as f64);
    let components = posterior.functions().weights().len();
    let functions = posterior.functions().latent_count() as f64;
    let groups = inputs.features().len() as f64;

    let a_row = groups * how.values as f64 * functions * components as f64 * 2.0 * seen * (dim + 10.0);
    how.rows = how.rows.min((MOST_WORK / a_row) as usize);
    let n = (how.rows_of_draws * (how.values / 6 + 3)) as f64;
    let a_draw = n * n * (n / 3.0 + 2.0 * seen) + n * seen * (seen + dim + 10.0);
    if groups * functions * components.min(how.draws) as f64 * a_draw > MOST_WORK {
        how.draws = 0;
    }
    (how.rows >= LEAST_ROWS).then_some(how)
}

fn named(shares: &VarianceShares, posterior: &Approximation, inputs: &Inputs) -> Influence {
    let named = |(name, share): (&str, &gp_ep::InputShare)| InputInfluence {
        input: name.to_owned(),
        alone: share.alone,
        total: share.total,
    };
    let mut of_inputs: Vec<InputInfluence> =
        inputs.names().into_iter().zip(&shares.inputs).map(named).collect();
    // Stable sort keeps the order of ties.
    of_inputs.sort_by(|a, b| b.total.value.total_cmp(&a.total.value));
    let kernel = posterior.describe()[shares.latents.start].kernel;
    let names = term_names(kernel, &inputs.column_names());
    Influence {
        latents: shares.latents.clone(),
        target: None,
        inputs: of_inputs,
        terms: names.into_iter().zip(shares.terms.iter().copied()).collect(),
    }
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
