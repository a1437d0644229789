//! Mutual information of observation and latents.

use super::DesignScratch;
use super::marginal::LatentMarginal;
use super::outcomes::outcomes;
use crate::error::InferenceError;
use gp_likelihoods::Likelihood;

/// `I(y; f) = E_y KL(p(f | y) ‖ p(f))` in nats; under Gaussian noise `½ ln(1 + v/σ²)`.
pub(super) fn information(
    likelihood: &dyn Likelihood,
    marginal: &LatentMarginal,
    scratch: &mut DesignScratch,
) -> Result<f64, InferenceError> {
    if let (Some(noise), &[variance]) = (likelihood.gaussian_noise(), marginal.variances()) {
        return Ok(0.5 * (variance / noise.variance()).ln_1p());
    }
    if marginal.variances().iter().all(|&variance| variance <= 0.0) {
        return Ok(0.0);
    }
    let outcomes = outcomes(likelihood, marginal, scratch)?;
    Ok(outcomes.iter().map(|outcome| outcome.share * outcome.divergence).sum())
}
