//! Owned posterior for predictions.

use super::model::ExactGp;
use super::workspace::{ExactWorkspace, Noisy, Solution};
use crate::error::InferenceError;
use crate::posterior::Predictor;
use faer::MatRef;
use gp_kernels::Kernel;
use gp_kernels::posterior::MixturePosterior;
use gp_likelihoods::Gaussian;
use gp_linalg::{JitterRecord, Threading};

/// Gaussian process given N observations, at fixed parameters.
#[derive(Clone, Debug)]
pub struct ExactPosterior {
    pub(super) kernel: Box<dyn Kernel>,
    pub(super) noise: Gaussian,
    pub(super) threading: Threading,
    pub(super) data: Noisy,
    pub(super) solution: Solution,
}

impl ExactPosterior {
    /// Posterior from the workspace of an evaluation.
    pub(super) fn new(model: &ExactGp, workspace: ExactWorkspace) -> Self {
        let (kernel, noise) = (model.kernel.clone(), model.noise.clone());
        let (data, solution) = workspace.into_parts();
        Self { kernel, noise, threading: model.threading, data, solution }
    }

    /// Predictor with its noise as the likelihood.
    ///
    /// # Errors
    /// None: there is one latent function.
    pub fn into_predictor(self) -> Result<Predictor<MixturePosterior<Self>>, InferenceError> {
        let (noise, threading) = (Box::new(self.noise.clone()), self.threading);
        Predictor::new(MixturePosterior::single(vec![self]), noise, threading)
    }

    /// Prior covariance.
    #[must_use]
    pub fn kernel(&self) -> &dyn Kernel {
        self.kernel.as_ref()
    }

    /// Observation noise.
    #[must_use]
    pub fn noise(&self) -> &Gaussian {
        &self.noise
    }

    /// Inputs, N×D with contiguous rows.
    #[must_use]
    pub fn inputs(&self) -> MatRef<'_, f64> {
        self.data.inputs()
    }

    /// The N targets.
    #[must_use]
    pub fn targets(&self) -> &[f64] {
        &self.data.targets
    }

    /// Known noise variances of the N targets, 0 by default.
    #[must_use]
    pub fn known_noise(&self) -> &[f64] {
        &self.data.known_noise
    }

    /// Weights of the N observations, 1 by default.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.data.weights
    }

    /// `ln p(y)` in nats.
    #[must_use]
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.solution.log_marginal_likelihood
    }

    /// `α = K_y⁻¹ y`, N numbers: the posterior mean is `k(x, inputs) α`.
    #[must_use]
    pub fn alpha(&self) -> &[f64] {
        &self.solution.alpha
    }

    /// Cholesky factor of `K_y`, N×N.
    #[must_use]
    pub fn factor(&self) -> MatRef<'_, f64> {
        self.solution.factor.l()
    }

    /// Jitter of `K_y`, and its cause.
    #[must_use]
    pub fn jitter(&self) -> &JitterRecord {
        self.solution.factor.jitter()
    }
}
