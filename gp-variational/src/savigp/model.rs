//! Sparse variational model: latent functions, likelihood, approximate posterior.

use super::entropy::EntropyBound;
use super::mixture::{Covariance, Mixture};
use crate::expectation::Expectation;
use gp_ep::{InferenceError, LatentModel, Predictor, check_count, on_latent_model};
use gp_kernels::inducing::SparseProcess;
use gp_kernels::posterior::{MixturePosterior, PosteriorFactor};
use gp_likelihoods::Likelihood;
use gp_optim::ParameterSet as _;

/// Sparse variational model: a [`LatentModel`] with a Gaussian or mixture posterior.
///
/// Parameters: each latent function's, the likelihood's, then the posterior's.
#[derive(Clone, Debug)]
pub struct Savigp {
    latent: LatentModel,
    posterior: Mixture,
    expectation: Expectation,
    entropy: EntropyBound,
}

impl Savigp {
    /// SVGP model: one full Gaussian, initially the prior, and exact expectations; one process per latent of
    /// the likelihood, or a shared one, whose projections are computed once.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for another number of latent functions.
    pub fn new(
        processes: Vec<SparseProcess>,
        likelihood: Box<dyn Likelihood>,
    ) -> Result<Self, InferenceError> {
        let latent = LatentModel::new(processes, likelihood)?;
        let posterior = Mixture::prior(&latent.counts(), Covariance::Full)?;
        let (expectation, entropy) = (Expectation::Exact, EntropyBound::default());
        Ok(Self { latent, posterior, expectation, entropy })
    }

    /// Sets the posterior.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for other numbers of inducing values.
    pub fn with_posterior(mut self, posterior: Mixture) -> Result<Self, InferenceError> {
        self.set_posterior(posterior)?;
        Ok(self)
    }

    /// Sets the method for expected log densities.
    ///
    /// # Errors
    /// [`InferenceError::Option`]; [`InferenceError::Unsupported`] for derivatives of samples with a
    /// likelihood that is not differentiable.
    pub fn with_expectation(self, expectation: Expectation) -> Result<Self, InferenceError> {
        expectation.check(self.likelihood())?;
        Ok(Self { expectation, ..self })
    }

    /// Sets the entropy bound of a mixture.
    #[must_use]
    pub fn with_entropy(self, entropy: EntropyBound) -> Self {
        Self { entropy, ..self }
    }

    /// Approximate posterior over whitened inducing values.
    #[must_use]
    pub fn posterior(&self) -> &Mixture {
        &self.posterior
    }

    /// Replaces the posterior.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for other numbers of inducing values.
    pub fn set_posterior(&mut self, posterior: Mixture) -> Result<(), InferenceError> {
        let counts = self.counts();
        check_count("posterior", "latent functions", counts.len(), posterior.counts().len())?;
        for (expected, found) in counts.iter().zip(posterior.counts()) {
            check_count("posterior", "inducing values", *expected, *found)?;
        }
        self.posterior = posterior;
        Ok(())
    }

    /// Leaves an empty posterior.
    pub(super) fn take_posterior(&mut self) -> Mixture {
        std::mem::replace(&mut self.posterior, Mixture::nothing())
    }

    pub(super) fn restore_posterior(&mut self, posterior: Mixture) {
        self.posterior = posterior;
    }

    /// Method for expected log densities.
    #[must_use]
    pub fn expectation(&self) -> &Expectation {
        &self.expectation
    }

    /// Entropy bound of a mixture.
    #[must_use]
    pub fn entropy(&self) -> EntropyBound {
        self.entropy
    }

    /// Predictor of the current posterior.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] if `K_zz` cannot be factored.
    pub fn predictor(&self) -> Result<Predictor, InferenceError> {
        let (posterior, components) = (&self.posterior, self.posterior.components());
        let parts = self.latent.posteriors(components, |k, q| {
            (posterior.mean(k, q).to_vec(), PosteriorFactor::Covariance(posterior.factor(k, q)))
        })?;
        let functions = MixturePosterior::new(self.posterior.weights(), parts)?;
        Predictor::new(functions, self.likelihood().clone_box(), self.threading())
    }

    /// Names of all values: the [latent model's](LatentModel::parameter_names), then the posterior's, such
    /// as `posterior[0].mean[5]`.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        let mut names = self.latent.parameter_names();
        names.extend(self.posterior.parameter_names());
        names
    }

    /// Number of the posterior's values, which come last.
    pub(super) fn posterior_values(&self) -> usize {
        self.posterior.parameter_count()
    }
}

on_latent_model! { Savigp: LatentModel { latent, posterior } }
