//! Leave-one-out predictions.

use super::posterior::ExactPosterior;
use super::workspace::invert_factor;
use crate::error::InferenceError;
use faer::Mat;
use std::f64::consts::TAU;

/// Predictions given all other observations, at fixed parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaveOneOut {
    /// Means of latent function and targets.
    pub latent_mean: Vec<f64>,
    /// Latent variances, never negative.
    pub latent_variance: Vec<f64>,
    /// Target variances: latent plus (σ² + known noise)/weight.
    pub observation_variance: Vec<f64>,
    /// Log densities of targets, in nats.
    pub log_density: Vec<f64>,
}

impl ExactPosterior {
    /// Leave-one-out predictions by the closed form of [`exact`](crate::exact); in practice never an error. Jitter
    /// counts as noise.
    pub fn leave_one_out(&self) -> Result<LeaveOneOut, InferenceError> {
        let mut square = Mat::new();
        let half_inverse = invert_factor(self.factor(), &mut square, self.threading)?;
        let mut result = LeaveOneOut::with_capacity(self.targets().len());
        for (i, column) in half_inverse.col_iter().enumerate() {
            // K_y⁻¹ = L⁻ᵀL⁻¹ has the squared column norms of L⁻¹ on its diagonal.
            let precision = column.squared_norm_l2();
            let own = (self.noise.variance() + self.known_noise()[i]) / self.weights()[i];
            let noise = own + self.jitter().added;
            result.push(self.targets()[i], self.alpha()[i] / precision, 1.0 / precision, noise);
        }
        Ok(result)
    }
}

impl LeaveOneOut {
    fn with_capacity(count: usize) -> Self {
        let empty = || Vec::with_capacity(count);
        Self {
            latent_mean: empty(),
            latent_variance: empty(),
            observation_variance: empty(),
            log_density: empty(),
        }
    }

    fn push(&mut self, target: f64, residual: f64, variance: f64, noise: f64) {
        self.latent_mean.push(target - residual);
        self.latent_variance.push((variance - noise).max(0.0));
        self.observation_variance.push(variance);
        self.log_density.push(-0.5 * ((TAU * variance).ln() + residual * (residual / variance)));
    }

    /// Log pseudo-likelihood, in nats: sum of `log_density`.
    #[must_use]
    pub fn total_log_density(&self) -> f64 {
        self.log_density.iter().sum()
    }
}
