//! Gaussian noise, under which there are closed forms.

use crate::error::CliError;
use gp_likelihoods::{Gaussian, Likelihood};

/// Whether observations are latent values with Gaussian noise.
#[must_use]
pub fn is_gaussian(likelihood: &dyn Likelihood) -> bool {
    likelihood.name() == "gaussian"
}

/// Closed forms are those of Gaussian noise.
pub(super) fn objection_unless_gaussian(likelihood: &dyn Likelihood) -> Option<String> {
    (!is_gaussian(likelihood))
        .then(|| format!("it needs Gaussian noise, and the likelihood is {}", likelihood.name()))
}

/// The Gaussian that a likelihood of that name is, with what was said of its parameter.
pub(super) fn gaussian(likelihood: &dyn Likelihood) -> Result<Gaussian, CliError> {
    let mut gaussian = Gaussian::new(1.0)?;
    gaussian.parameters_mut().clone_from_slice(likelihood.parameters());
    Ok(gaussian)
}
