//! Quantiles from distribution functions.

use super::least::least;
use super::{check_probability, many, one};
use crate::derivatives::ObservationMoments;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::shape::{check_latents, check_output};
use crate::special::standard_normal_quantile;
use crate::support::Support;
use crate::workspace::Workspace;

/// First step in standard deviations.
const STEP: f64 = 0.25;

/// Smallest `y` with `P(output ≤ y) ≥ probability` under `f ~ q`.
///
/// # Errors
/// Wrong lengths, no such output, `probability` outside (0, 1), unresolved integrand.
pub fn predictive_quantile<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    output: usize,
    probability: f64,
    ws: &mut Workspace,
) -> Result<f64, LikelihoodError> {
    check_latents(likelihood, q.len())?;
    check_output(likelihood, output)?;
    check_probability(probability)?;
    let start = guess(likelihood, q, output, probability, ws)?;
    match *q {
        [q] => {
            least(likelihood.support(), start, |y| Ok(one::cdf(likelihood, q, output, y, ws)? - probability))
        }
        _ => many::quantile(likelihood, q, (output, probability), start, &mut ws.many),
    }
}

/// Approximate quantile and step, Gaussian; log scale if positive.
fn guess<L: Likelihood + ?Sized>(
    likelihood: &L,
    q: &[Latent],
    output: usize,
    probability: f64,
    ws: &mut Workspace,
) -> Result<(f64, f64), LikelihoodError> {
    let Workspace { moments, point, .. } = ws;
    let f = &mut point.by_latent;
    moments.clear();
    moments.resize(likelihood.outputs(), ObservationMoments::default());
    let mut given = |f: &[f64]| {
        likelihood.conditional_moments(f, moments)?;
        Ok::<_, LikelihoodError>(moments[output])
    };
    f.clear();
    f.extend(q.iter().map(|q| q.mean()));
    let middle = given(f)?;
    let by_logarithm =
        matches!(likelihood.support(), Support::Positive | Support::Counts) && middle.mean > 0.0;
    let mut variance = match by_logarithm {
        true => (middle.variance / middle.mean / middle.mean).ln_1p(),
        false => middle.variance,
    };
    for (latent, q) in q.iter().enumerate() {
        let mut mean = |t: f64| {
            f[latent] = q.mean() + t * q.variance().sqrt();
            let mean = given(f)?.mean;
            Ok::<_, LikelihoodError>(if by_logarithm { mean.ln() } else { mean })
        };
        variance += 0.25 * (mean(1.0)? - mean(-1.0)?).powi(2);
        f[latent] = q.mean();
    }
    let deviation = variance.sqrt();
    let away = standard_normal_quantile(probability)? * deviation;
    if by_logarithm {
        let start = (middle.mean.ln() + away).exp();
        return Ok((start, STEP * deviation * start));
    }
    Ok((middle.mean + away, STEP * deviation))
}
