//! Posterior of exact regression.

use super::model::ExactGp;
use super::workspace::{ExactWorkspace, Noisy};
use crate::error::InferenceError;
use crate::posterior::Predictor;
use faer::MatRef;
use gp_kernels::Kernel;
use gp_kernels::posterior::{DensePosterior, HoldsLatent, LatentPosterior, MixturePosterior};
use gp_likelihoods::Gaussian;
use gp_linalg::{Cholesky, JitterRecord, Threading};

/// Conditioned process; owns model and data.
#[derive(Clone, Debug)]
pub struct ExactPosterior {
    dense: DensePosterior,
    pub(super) noise: Gaussian,
    pub(super) threading: Threading,
    pub(super) observed: Noisy,
    log_marginal_likelihood: f64,
}

impl HoldsLatent for ExactPosterior {
    fn inner(&self) -> &dyn LatentPosterior {
        &self.dense
    }
}

impl ExactPosterior {
    pub(super) fn new(model: &ExactGp, workspace: &mut ExactWorkspace) -> Result<Self, InferenceError> {
        let (rows, observed, solution) = workspace.take()?;
        let (kernel, noise) = (model.kernel.clone(), model.noise.clone());
        let dense = DensePosterior::new(kernel, rows.inputs(), solution.alpha, None, solution.factor)?;
        let log_marginal_likelihood = solution.log_marginal_likelihood;
        Ok(Self { dense, noise, threading: model.threading, observed, log_marginal_likelihood })
    }

    /// Predictor with observation noise as likelihood; in practice never an error.
    pub fn into_predictor(self) -> Result<Predictor<MixturePosterior<Self>>, InferenceError> {
        let (noise, threading) = (Box::new(self.noise.clone()), self.threading);
        Predictor::new(MixturePosterior::single(vec![self]), noise, threading)
    }

    /// Prior covariance.
    #[must_use]
    pub fn kernel(&self) -> &dyn Kernel {
        self.dense.kernel()
    }

    /// Observation noise.
    #[must_use]
    pub fn noise(&self) -> &Gaussian {
        &self.noise
    }

    /// N×D with contiguous rows.
    #[must_use]
    pub fn inputs(&self) -> MatRef<'_, f64> {
        self.dense.inputs()
    }

    /// N targets.
    #[must_use]
    pub fn targets(&self) -> &[f64] {
        &self.observed.targets
    }

    /// N known noise variances, 0 by default.
    #[must_use]
    pub fn known_noise(&self) -> &[f64] {
        &self.observed.known_noise
    }

    /// N weights, 1 by default.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.observed.weights
    }

    /// `ln p(y)` in nats.
    #[must_use]
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.log_marginal_likelihood
    }

    /// `α = K_y⁻¹ y`, for the posterior mean `k(x, inputs) α`.
    #[must_use]
    pub fn alpha(&self) -> &[f64] {
        self.dense.alpha()
    }

    /// Cholesky factor of `K_y`.
    #[must_use]
    pub fn factor(&self) -> &Cholesky {
        self.dense.factor()
    }

    /// Jitter added to `K_y`.
    #[must_use]
    pub fn jitter(&self) -> &JitterRecord {
        self.factor().jitter()
    }
}
