//! The posterior: everything predictions need, and nothing borrowed.

use super::model::SparseRegression;
use crate::error::EpError;
use crate::exact::Prediction;
use faer::MatRef;
use gp_kernels::Evaluator;
use gp_kernels::posterior::{InducingPosterior, PosteriorFactor};
use gp_likelihoods::Gaussian;
use gp_linalg::{Cholesky, Threading};

/// A Gaussian process given observations, as far as M inducing values carry them, at fixed parameters.
#[derive(Clone, Debug)]
pub struct RegressionPosterior {
    latent: InducingPosterior,
    noise: Gaussian,
    log_marginal_likelihood: f64,
    threading: Threading,
}

impl RegressionPosterior {
    pub(super) fn new(
        model: &SparseRegression,
        mean: Vec<f64>,
        precision: Cholesky,
        log_marginal_likelihood: f64,
    ) -> Result<Self, EpError> {
        let process = model.process();
        let (kernel, inputs) = (process.kernel().clone_box(), process.inputs().clone());
        let factor = PosteriorFactor::Precision(precision);
        let latent = InducingPosterior::new(kernel, inputs, *model.jitter(), mean, factor)?;
        let noise = model.noise().clone();
        Ok(Self { latent, noise, log_marginal_likelihood, threading: model.threading() })
    }

    /// The posterior of the latent function: joint predictions, samples, and its stored form.
    #[must_use]
    pub fn latent(&self) -> &InducingPosterior {
        &self.latent
    }

    /// The observation noise.
    #[must_use]
    pub fn noise(&self) -> &Gaussian {
        &self.noise
    }

    /// The approximation of `ln p(y)` in nats.
    #[must_use]
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.log_marginal_likelihood
    }

    /// Predictions at the rows of `points` (P×D).
    ///
    /// # Errors
    /// [`EpError::Kernel`] for points the kernel cannot take.
    pub fn predict(&self, points: MatRef<'_, f64>) -> Result<Prediction, EpError> {
        let latent = self.latent.predict(points, &Evaluator::new(self.threading))?;
        let observed = |latent: &f64| latent + self.noise.variance();
        Ok(Prediction {
            observation_variance: latent.variance.iter().map(observed).collect(),
            latent_mean: latent.mean,
            latent_variance: latent.variance,
        })
    }
}
