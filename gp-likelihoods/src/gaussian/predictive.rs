//! Predictions under Gaussian noise.

use super::{Gaussian, log_normal};
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::special::standard_normal_quantile;

/// Predictions for `f ~ N(m, v)`: `y ~ N(m, v + σ²)`.
impl Gaussian {
    /// Mean of the observation.
    #[must_use]
    pub fn predictive_mean(&self, latent: Latent) -> f64 {
        latent.mean()
    }

    /// Variance of the observation, `v + σ²`.
    #[must_use]
    pub fn predictive_variance(&self, latent: Latent) -> f64 {
        latent.variance() + self.variance()
    }

    /// `ln N(y; m, v + σ²)`.
    #[must_use]
    pub fn log_predictive_density(&self, y: f64, latent: Latent) -> f64 {
        log_normal(y - latent.mean(), self.predictive_variance(latent))
    }

    /// Quantile of the observation.
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] for `probability` outside (0, 1).
    pub fn predictive_quantile(&self, latent: Latent, probability: f64) -> Result<f64, LikelihoodError> {
        let z = standard_normal_quantile(probability)?;
        Ok(latent.mean() + z * self.predictive_variance(latent).sqrt())
    }
}
