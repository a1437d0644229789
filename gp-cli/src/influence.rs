//! Influence of inputs on the fitted function, by column names.

use crate::encode::Inputs;
use crate::error::CliError;
use crate::model::{Approximation, Influence, InputInfluence};
use crate::parts::term_names;
use faer::MatRef;
use gp_ep::{Posterior as _, ShareOptions, VarianceShares};

/// Maximum number of multiplications for the shares, and again for their ranges; about one second.
const MOST_WORK: f64 = 2e10;
/// Minimum number of rows; with fewer, nothing is computed.
const LEAST_ROWS: usize = 8;

/// Minimum share of the variance, outside single inputs, that is reported. Sums of shares are accurate to about half of it.
const LEAST_SHARED: f64 = 0.1;

/// Influence of each input over `points`; empty if too expensive. `rows` is the number of training rows, which determines
/// the cost for posteriors without inducing inputs.
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

/// Numbers of rows and draws within [`MOST_WORK`]; None with fewer than [`LEAST_ROWS`] rows.
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

/// Share as a percentage, without a negative zero.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    format!("{:.1} %", if percent.abs() < 0.05 { 0.0 } else { percent })
}

/// Remarks on variance due to several inputs together: interactions and correlations.
pub(crate) fn together(influence: &Influence) -> Vec<String> {
    let sum = |of: fn(&InputInfluence) -> f64| influence.inputs.iter().map(of).sum::<f64>();
    let (alone, total) = (sum(|of| of.alone.value), sum(|of| of.total.value));
    if influence.inputs.len() < 2 {
        return Vec::new();
    }
    // The totals of two interacting inputs both contain their interaction.
    let by_interaction = 0.5 * (total - alone).max(0.0);
    let shared = 1.0 - alone - by_interaction;
    let mut said = Vec::new();
    if by_interaction >= LEAST_SHARED {
        said.push(format!(
            "about {:.0} % is of no input alone: inputs interact, the effect of one depends on others",
            100.0 * by_interaction
        ));
    }
    if shared >= LEAST_SHARED {
        said.push(format!(
            "about {:.0} % is of no single input: inputs are correlated and act in the same direction",
            100.0 * shared
        ));
    } else if shared <= -LEAST_SHARED {
        said.push(format!(
            "shares add up to {:.0} %: inputs are correlated and offset each other",
            100.0 * (alone + by_interaction)
        ));
    }
    said
}

/// Remark on kernel terms with a negative share, if any.
pub(crate) fn offset_terms(influence: &Influence) -> Option<&'static str> {
    let is_negative = |(_, share): &(String, f64)| *share <= -0.0005;
    influence.terms.iter().any(is_negative).then_some("a term with a negative share is offset by the others")
}

fn named(shares: &VarianceShares, posterior: &Approximation, inputs: &Inputs) -> Influence {
    let named = |(name, share): (&str, &gp_ep::InputShare)| InputInfluence {
        input: name.to_owned(),
        alone: share.alone,
        total: share.total,
    };
    let mut of_inputs: Vec<InputInfluence> =
        inputs.names().into_iter().zip(&shares.inputs).map(named).collect();
    // The sort is stable: ties keep their order.
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
    use gp_ep::Spanned;

    fn remarks(shares: &[(f64, f64)]) -> String {
        let spanned = |value| Spanned { value, low: value, high: value };
        let input = |&(alone, total): &(f64, f64)| InputInfluence {
            input: "x".to_owned(),
            alone: spanned(alone),
            total: spanned(total),
        };
        let inputs = shares.iter().map(input).collect();
        together(&Influence { latents: 0..1, target: None, inputs, terms: Vec::new() }).join("; ")
    }

    #[test]
    fn what_is_left_is_said() {
        assert_eq!(remarks(&[(0.6, 0.6), (0.38, 0.4)]), "");
        assert_eq!(remarks(&[(1.0, 1.0)]), "");
        assert!(
            remarks(&[(0.05, 0.06), (0.2, 0.2)]).starts_with("about 74 % is of no single input: inputs are")
        );
        assert!(
            remarks(&[(0.3, 0.7), (0.3, 0.7)])
                .starts_with("about 40 % is of no input alone: inputs interact")
        );
        assert!(remarks(&[(0.9, 0.9), (0.8, 0.8)]).starts_with("shares add up to 170 %"));
    }

    #[test]
    fn nothing_is_below_zero() {
        assert_eq!([-1e-7, -0.0, 0.0649, -0.065].map(percent), ["0.0 %", "0.0 %", "6.5 %", "-6.5 %"]);
    }
}
