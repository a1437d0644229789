//! The posterior: everything predictions need, and nothing borrowed.

use super::model::ExactGp;
use super::observations::Observations;
use super::workspace::Solution;
use faer::{Mat, MatRef};
use gp_kernels::Kernel;
use gp_likelihoods::Gaussian;
use gp_linalg::{JitterRecord, Threading};

/// A Gaussian process given N observations, at fixed parameters.
#[derive(Clone, Debug)]
pub struct ExactPosterior {
    pub(super) kernel: Box<dyn Kernel>,
    pub(super) noise: Gaussian,
    pub(super) threading: Threading,
    /// The inputs, D×N, so that their transpose has contiguous points.
    points: Mat<f64>,
    pub(super) targets: Vec<f64>,
    pub(super) known_noise: Vec<f64>,
    pub(super) solution: Solution,
}

impl ExactPosterior {
    pub(super) fn new(model: &ExactGp, data: &Observations<'_>, solution: Solution) -> Self {
        Self {
            kernel: model.kernel.clone(),
            noise: model.noise.clone(),
            threading: model.threading,
            points: data.inputs().transpose().to_owned(),
            targets: data.targets().to_vec(),
            known_noise: (0..data.len()).map(|i| data.known_noise(i)).collect(),
            solution,
        }
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
        self.points.transpose()
    }

    /// The N targets.
    #[must_use]
    pub fn targets(&self) -> &[f64] {
        &self.targets
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
