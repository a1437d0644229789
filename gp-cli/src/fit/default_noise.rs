//! Default prior of Gaussian noise.

use super::spec::FitSpec;
use crate::error::CliError;
use gp_likelihoods::Likelihood;
use gp_optim::Prior;

/// Noise prior relative to target variance, peak e^(7.8 − 3²) ≈ 0.3.
const PRIOR: Prior = Prior::LogNormal { mu: 7.8, sigma: 3.0 };

/// Weak prior for standardised targets; none with known noise.
pub(super) fn set_prior(likelihood: &mut dyn Likelihood, spec: &FitSpec) -> Result<(), CliError> {
    let is_default = spec.likelihood.is_none() && spec.kernel.is_empty() && spec.search.is_none();
    let has_measure = spec.standardize.target() && spec.noise_variance.is_empty();
    if !is_default || !has_measure || !likelihood.is_linear_gaussian() {
        return Ok(());
    }
    let noise = likelihood.parameters_mut().iter_mut().find(|parameter| parameter.name() == "variance");
    noise.map_or(Ok(()), |noise| Ok(noise.set_prior(Some(PRIOR))?))
}
