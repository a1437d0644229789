//! Influence of inputs on the fitted function, by column names.

use crate::encode::Inputs;
use crate::error::CliError;
use crate::model::{Approximation, Influence, InputInfluence};
use crate::parts::term_names;
use faer::MatRef;
use gp_ep::{Posterior as _, ShareOptions, VarianceShares};

/// Most multiplications, and the same again for ranges: at most about a second.
const MOST_WORK: f64 = 2e10;
/// Fewest rows with the other inputs unchanged for any result.
const LEAST_ROWS: usize = 8;

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
