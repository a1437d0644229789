//! Gaussian noise, for which closed forms exist.

use crate::error::CliError;
use gp_likelihoods::{Gaussian, Likelihood};

/// `true` for latent values plus Gaussian noise.
#[must_use]
pub fn is_gaussian(likelihood: &dyn Likelihood) -> bool {
    likelihood.gaussian_noise().is_some()
}

pub(super) fn objection_unless_gaussian(likelihood: &dyn Likelihood) -> Option<String> {
    (!is_gaussian(likelihood)).then(|| objection(likelihood))
}

pub(super) fn gaussian(likelihood: &dyn Likelihood) -> Result<Gaussian, CliError> {
    likelihood.gaussian_noise().cloned().ok_or_else(|| CliError::usage(objection(likelihood)))
}

fn objection(likelihood: &dyn Likelihood) -> String {
    if likelihood.targets() > 1
        && likelihood.own_latent(0).is_some_and(|own| is_gaussian(own.likelihood.as_ref()))
    {
        return "it is for one target, or for several with a kernel each, and one --kernel is shared by all targets; give --kernel once for each target".to_owned();
    }
    format!("it needs Gaussian noise, and the likelihood is {}", likelihood.name())
}
