//! Results of likelihood functions.

use crate::error::{LikelihoodError, check_count};

/// Reusable output of [`Likelihood::expected_log_density`](crate::Likelihood::expected_log_density) and
/// [`Likelihood::tilted`](crate::Likelihood::tilted).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatentDerivatives {
    /// Expected log density or ln Z.
    pub value: f64,
    /// Derivatives by means (Q).
    pub by_mean: Vec<f64>,
    /// Derivatives by variances (Q).
    pub by_variance: Vec<f64>,
    /// Derivatives by natural [parameters](crate::Described::parameters), in order, flattened.
    pub by_params: Vec<f64>,
}

impl LatentDerivatives {
    /// Sets all fields for one latent.
    pub fn set(&mut self, value: f64, by_mean: f64, by_variance: f64, by_params: &[f64]) {
        self.reset(1, by_params.len());
        self.value = value;
        self.by_mean[0] = by_mean;
        self.by_variance[0] = by_variance;
        self.by_params.copy_from_slice(by_params);
    }

    /// Resizes and zeroes all fields.
    pub fn reset(&mut self, latents: usize, params: usize) {
        self.value = 0.0;
        refill(&mut self.by_mean, latents);
        refill(&mut self.by_variance, latents);
        refill(&mut self.by_params, params);
    }
}

/// Log density with derivatives at one f.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointDerivatives {
    /// `ln p(y | f)`
    pub value: f64,
    /// First derivatives by latents (Q).
    pub by_latent: Vec<f64>,
    /// Diagonal second derivatives (Q).
    pub by_latent_twice: Vec<f64>,
}

impl PointDerivatives {
    /// Resizes and zeroes all fields.
    pub fn reset(&mut self, latents: usize) {
        self.value = 0.0;
        refill(&mut self.by_latent, latents);
        refill(&mut self.by_latent_twice, latents);
    }
}

/// Mean and variance of one output.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ObservationMoments {
    /// Mean; NaN if undefined.
    pub mean: f64,
    /// Variance; infinite if undefined.
    pub variance: f64,
}

pub(crate) fn refill(target: &mut Vec<f64>, count: usize) {
    target.clear();
    target.resize(count, 0.0);
}

pub(crate) fn only<T: Copy>(slice: &[T]) -> Result<T, LikelihoodError> {
    check_count("number of latents", slice.len(), slice.len() == 1, "1")?;
    Ok(slice[0])
}
