//! The model: latent functions, a likelihood, and an approximate posterior over their inducing values.

use super::entropy::EntropyBound;
use super::mixture::{Covariance, Mixture};
use crate::expectation::Expectation;
use gp_ep::{InferenceError, LatentModel, Predictor, check_count};
use gp_kernels::inducing::SparseProcess;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior, PosteriorFactor};
use gp_likelihoods::Likelihood;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};
use std::ops::{Deref, DerefMut};

/// A [latent model](LatentModel), its posterior approximated by a Gaussian or a mixture of Gaussians.
///
/// Its parameters are those of each latent function, then those of the likelihood, then those of the posterior.
#[derive(Clone, Debug)]
pub struct Savigp {
    latent: LatentModel,
    posterior: Mixture,
    expectation: Expectation,
    entropy: EntropyBound,
}

impl Savigp {
    /// One process for each latent of the likelihood, or one for all of them, which then is projected on and
    /// differentiated once, with one full Gaussian as posterior, which starts as
    /// the prior, and expected log densities in closed form or by quadrature: SVGP.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for another number of latent functions than the likelihood has.
    pub fn new(
        processes: Vec<SparseProcess>,
        likelihood: Box<dyn Likelihood>,
    ) -> Result<Self, InferenceError> {
        let latent = LatentModel::new(processes, likelihood)?;
        let posterior = Mixture::prior(&latent.counts(), Covariance::Full)?;
        let (expectation, entropy) = (Expectation::Exact, EntropyBound::default());
        Ok(Self { latent, posterior, expectation, entropy })
    }

    /// The same model with another posterior.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for a posterior over other numbers of inducing values.
    pub fn with_posterior(mut self, posterior: Mixture) -> Result<Self, InferenceError> {
        self.set_posterior(posterior)?;
        Ok(self)
    }

    /// The same model with other estimates of expected log densities.
    ///
    /// # Errors
    /// [`InferenceError::Option`] for settings out of range; [`InferenceError::Unsupported`] for derivatives of
    /// samples of a likelihood that has none.
    pub fn with_expectation(self, expectation: Expectation) -> Result<Self, InferenceError> {
        expectation.check(self.likelihood())?;
        Ok(Self { expectation, ..self })
    }

    /// The same model with another bound on the entropy of a mixture.
    #[must_use]
    pub fn with_entropy(self, entropy: EntropyBound) -> Self {
        Self { entropy, ..self }
    }

    /// The same model with another rule for matrices `K_zz` without a numerical Cholesky factor.
    #[must_use]
    pub fn with_jitter(mut self, jitter: JitterPolicy) -> Self {
        self.set_jitter(jitter);
        self
    }

    /// The same model, computed elsewhere. The numbers do not change.
    #[must_use]
    pub fn with_threading(mut self, threading: Threading) -> Self {
        self.set_threading(threading);
        self
    }

    /// The approximate posterior over whitened inducing values.
    #[must_use]
    pub fn posterior(&self) -> &Mixture {
        &self.posterior
    }

    /// Replaces the posterior.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for a posterior over other numbers of inducing values.
    pub fn set_posterior(&mut self, posterior: Mixture) -> Result<(), InferenceError> {
        let counts = self.counts();
        check_count("posterior", "latent functions", counts.len(), posterior.counts().len())?;
        for (expected, found) in counts.iter().zip(posterior.counts()) {
            check_count("posterior", "inducing values", *expected, *found)?;
        }
        self.posterior = posterior;
        Ok(())
    }

    /// Moves the posterior out, to be worked on beside the model; what is left has no parts.
    pub(super) fn take_posterior(&mut self) -> Mixture {
        std::mem::replace(&mut self.posterior, Mixture::nothing())
    }

    /// Moves it in again.
    pub(super) fn restore_posterior(&mut self, posterior: Mixture) {
        self.posterior = posterior;
    }

    /// How expected log densities are found.
    #[must_use]
    pub fn expectation(&self) -> &Expectation {
        &self.expectation
    }

    /// The bound on the entropy of a mixture.
    #[must_use]
    pub fn entropy(&self) -> EntropyBound {
        self.entropy
    }

    /// The posterior as it stands, for predictions.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for a `K_zz` that cannot be factored.
    pub fn predictor(&self) -> Result<Predictor, InferenceError> {
        let mut parts = Vec::new();
        for k in 0..self.posterior.components() {
            for q in 0..self.likelihood().latents() {
                let process = self.process(q);
                parts.push(InducingPosterior::new(
                    process.kernel().clone_box(),
                    process.inputs().clone(),
                    *self.jitter(),
                    self.posterior.mean(k, q).to_vec(),
                    PosteriorFactor::Covariance(self.posterior.factor(k, q)),
                )?);
            }
        }
        let functions = MixturePosterior::new(self.posterior.weights(), parts)?;
        Predictor::new(functions, self.likelihood().clone_box(), self.threading())
    }

    /// The name of every value: those of the [latent model](LatentModel::parameter_names), then those of the posterior, such
    /// as `posterior[0].mean[5]`.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        let mut names = self.latent.parameter_names();
        names.extend(self.posterior.parameter_names());
        names
    }

    /// The number of values of the posterior, which are the last ones.
    pub(super) fn posterior_values(&self) -> usize {
        self.posterior.parameter_count()
    }
}

impl Deref for Savigp {
    type Target = LatentModel;

    fn deref(&self) -> &LatentModel {
        &self.latent
    }
}

impl DerefMut for Savigp {
    fn deref_mut(&mut self) -> &mut LatentModel {
        &mut self.latent
    }
}

impl ParameterSet for Savigp {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.latent.visit(visit);
        self.posterior.visit(visit);
    }
}

impl ParameterSetMut for Savigp {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.latent.visit_mut(visit);
        self.posterior.visit_mut(visit);
    }
}
