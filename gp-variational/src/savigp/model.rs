//! Latent functions, likelihood, approximate posterior.

use super::entropy::EntropyBound;
use super::mixture::{Covariance, Mixture};
use crate::expectation::Expectation;
use gp_ep::{InferenceError, LatentModel, Predictor, check_count, on_latent_model};
use gp_kernels::inducing::SparseProcess;
use gp_kernels::posterior::{MixturePosterior, PosteriorFactor};
use gp_likelihoods::Likelihood;
use gp_optim::ParameterSet as _;

/// [`LatentModel`] with Gaussian or mixture posterior.
///
/// Parameters: latent functions', likelihood's, posterior's.
#[derive(Clone, Debug)]
pub struct Savigp {
    latent: LatentModel,
    posterior: Mixture,
    expectation: Expectation,
    entropy: EntropyBound,
}

impl Savigp {
    /// SVGP: one full Gaussian, initially the prior; exact expectations; one process per latent, or one for all.
    ///
    /// # Errors
    /// [`InferenceError::Shape`].
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
    /// [`InferenceError::Shape`].
    pub fn with_posterior(mut self, posterior: Mixture) -> Result<Self, InferenceError> {
        self.set_posterior(posterior)?;
        Ok(self)
    }

    /// Sets the expectation method.
    ///
    /// # Errors
    /// [`InferenceError::Option`]; [`InferenceError::Unsupported`] for reparameterised non-smooth likelihoods.
    pub fn with_expectation(self, expectation: Expectation) -> Result<Self, InferenceError> {
        expectation.check(self.likelihood())?;
        Ok(Self { expectation, ..self })
    }

    /// Sets a mixture's entropy bound.
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
    /// [`InferenceError::Shape`].
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

    /// Expectation method.
    #[must_use]
    pub fn expectation(&self) -> &Expectation {
        &self.expectation
    }

    /// Mixture's entropy bound.
    #[must_use]
    pub fn entropy(&self) -> EntropyBound {
        self.entropy
    }

    /// Predictor of the current posterior.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for a singular `K_zz`.
    pub fn predictor(&self) -> Result<Predictor, InferenceError> {
        let (posterior, components) = (&self.posterior, self.posterior.components());
        let parts = self.latent.posteriors(components, |k, q| {
            (posterior.mean(k, q).to_vec(), PosteriorFactor::Covariance(posterior.factor(k, q)))
        })?;
        let functions = MixturePosterior::new(self.posterior.weights(), parts)?;
        Predictor::new(functions, self.likelihood().clone_box(), self.threading())
    }

    /// [`LatentModel::parameter_names`], then the posterior's (`posterior[0].mean[5]`).
    #[must_use]
    pub fn parameter_names(&self) -> Vec<String> {
        let mut names = self.latent.parameter_names();
        names.extend(self.posterior.parameter_names());
        names
    }

    /// Number of posterior values, which come last.
    pub(super) fn posterior_values(&self) -> usize {
        self.posterior.parameter_count()
    }
}

on_latent_model! { Savigp: LatentModel { latent, posterior } }
