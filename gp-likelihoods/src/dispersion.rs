//! Variance of counts relative to their mean.

use crate::derivatives::ObservationMoments;
use crate::likelihood::Likelihood;
use crate::support::Support;

/// Latent value of the comparison.
const AT: f64 = 0.5;
const ROUNDING: f64 = 1e-12;

/// Count variance relative to its mean, given f.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dispersion {
    /// Below the mean.
    Less,
    /// Equal to the mean (Poisson).
    Mean,
    /// Above the mean.
    More,
}

/// First output's dispersion at `f = ½`, if counts of known moments.
///
/// ```
/// use gp_likelihoods::{Dispersion, dispersion, parse};
/// assert_eq!(dispersion(parse("poisson_softplus")?.as_ref()), Some(Dispersion::Mean));
/// assert_eq!(dispersion(parse("negative_binomial(shape=2)")?.as_ref()), Some(Dispersion::More));
/// assert_eq!(dispersion(parse("gaussian")?.as_ref()), None);
/// # Ok::<(), gp_likelihoods::LikelihoodError>(())
/// ```
#[must_use]
pub fn dispersion(likelihood: &dyn Likelihood) -> Option<Dispersion> {
    if likelihood.support() != Support::Counts {
        return None;
    }
    let mut at = vec![ObservationMoments::default(); likelihood.outputs()];
    likelihood.conditional_moments(&vec![AT; likelihood.latents()], &mut at).ok()?;
    let ObservationMoments { mean, variance } = *at.first()?;
    let excess = variance - mean;
    Some(match excess {
        _ if excess.is_nan() => return None,
        _ if excess.abs() <= ROUNDING * mean => Dispersion::Mean,
        _ if excess > 0.0 => Dispersion::More,
        _ => Dispersion::Less,
    })
}
