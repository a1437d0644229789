//! Quantiles of the next observation, by its distribution function.

use super::{check_probability, many, one};
use crate::crossing::{Among, crossing};
use crate::density::{check_latents, check_output};
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::slopes::ObservationMoments;
use crate::special::standard_normal_quantile;
use crate::support::Support;
use crate::workspace::Workspace;

/// The search starts by steps of this share of a standard deviation.
const STEP: f64 = 0.25;

/// The least number whose distribution function, for one output, reaches a probability under `f ~ q`.
///
/// # Errors
/// A probability not strictly between 0 and 1, no such output, or an integrand that quadrature cannot follow.
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

/// The least member of a support at which a function that does not fall is not negative, looked for from a number on by
/// steps of a size.
pub(super) fn least(
    support: Support,
    start: (f64, f64),
    mut f: impl FnMut(f64) -> Result<f64, LikelihoodError>,
) -> Result<f64, LikelihoodError> {
    let Some(last) = support.classes().checked_sub(1) else {
        return crossing(among(support), start, &mut f);
    };
    for class in 0..last {
        if f(support.label(class))? >= 0.0 {
            return Ok(support.label(class));
        }
    }
    Ok(support.label(last))
}

/// Which numbers a support without classes has.
pub(crate) fn among(support: Support) -> Among {
    match support {
        Support::Positive => Among::Positives,
        Support::UnitInterval => Among::Shares,
        support if support.is_discrete() => Among::Counts,
        _ => Among::Reals,
    }
}

/// About where the quantile is, and a step: that of a Gaussian whose variance is the observation's at the middle of the
/// beliefs and what a standard deviation of each latent adds. What is positive is Gaussian by its logarithm.
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
