//! The posterior: everything predictions need, and nothing borrowed.

use super::model::ExactGp;
use super::workspace::{ExactWorkspace, Noisy, Solution};
use crate::error::InferenceError;
use crate::posterior::Predictor;
use faer::MatRef;
use gp_kernels::Kernel;
use gp_kernels::posterior::MixturePosterior;
use gp_likelihoods::Gaussian;
use gp_linalg::{JitterRecord, Threading};

/// A Gaussian process given N observations, at fixed parameters.
#[derive(Clone, Debug)]
pub struct ExactPosterior {
    pub(super) kernel: Box<dyn Kernel>,
    pub(super) noise: Gaussian,
    pub(super) threading: Threading,
    pub(super) data: Noisy,
    pub(super) solution: Solution,
}

impl ExactPosterior {
    /// What an evaluation has left.
    pub(super) fn new(model: &ExactGp, workspace: ExactWorkspace) -> Self {
        let (kernel, noise) = (model.kernel.clone(), model.noise.clone());
        let (data, solution) = workspace.into_parts();
        Self { kernel, noise, threading: model.threading, data, solution }
    }

    /// The posterior with its noise as the likelihood.
    ///
    /// # Errors
    /// None: there is one latent function.
    pub fn into_predictor(self) -> Result<Predictor<MixturePosterior<Self>>, InferenceError> {
        let (noise, threading) = (Box::new(self.noise.clone()), self.threading);
        Predictor::new(MixturePosterior::single(vec![self]), noise, threading)
    }

    /// The prior covariance.
    #[must_use]
    pub fn kernel(&self) -> &dyn Kernel {
        self.kernel.as_ref()
    }

    /// The observation noise.
    #[must_use]
    pub fn noise(&self) -> &Gaussian {
        &self.noise
    }

    /// The inputs of the observations, N×D with contiguous rows.
    #[must_use]
    pub fn inputs(&self) -> MatRef<'_, f64> {
        self.data.inputs()
    }

    /// The N targets.
    #[must_use]
    pub fn targets(&self) -> &[f64] {
        &self.data.targets
    }

    /// The known noise variances of the N targets, 0 where nothing was said.
    #[must_use]
    pub fn known_noise(&self) -> &[f64] {
        &self.data.known_noise
    }

    /// How often each of the N observations counts, 1 where nothing was said.
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

    /// The Cholesky factor of `K_y`, N×N.
    #[must_use]
    pub fn factor(&self) -> MatRef<'_, f64> {
        self.solution.factor.l()
    }

    /// What had to be added to the diagonal of `K_y`, and why.
    #[must_use]
    pub fn jitter(&self) -> &JitterRecord {
        self.solution.factor.jitter()
    }
}
