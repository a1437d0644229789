//! The model: latent functions by their kernels, and a likelihood.

use crate::expectation::Expectation;
use gp_ep::{InferenceError, check_count};
use gp_kernels::{Kernel, KernelExt as _};
use gp_likelihoods::Likelihood;
use gp_linalg::Threading;
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};

/// A latent Gaussian-process model without inducing inputs, its posterior a Gaussian over all latent values.
///
/// Its parameters are those of each kernel, then those of the likelihood.
#[derive(Clone, Debug)]
pub struct DenseVariational {
    kernels: Vec<Box<dyn Kernel>>,
    likelihood: Box<dyn Likelihood>,
    expectation: Expectation,
    threading: Threading,
}

impl DenseVariational {
    /// A kernel for each latent of the likelihood, which is log-concave.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for another number of kernels; [`InferenceError::Unsupported`] for a likelihood that is
    /// not log-concave, for which [`Savigp`](crate::Savigp) takes inducing inputs at the data.
    pub fn new(
        kernels: Vec<Box<dyn Kernel>>,
        likelihood: Box<dyn Likelihood>,
    ) -> Result<Self, InferenceError> {
        check_count("model", "latent functions", likelihood.latents(), kernels.len())?;
        if !likelihood.is_log_concave() {
            return Err(InferenceError::Unsupported {
                what: "two numbers for each observation of a likelihood that is not log-concave",
            });
        }
        Ok(Self { kernels, likelihood, expectation: Expectation::Exact, threading: Threading::Pool })
    }

    /// The same model with other estimates of expected log densities.
    ///
    /// # Errors
    /// As [`Savigp::with_expectation`](crate::Savigp::with_expectation).
    pub fn with_expectation(self, expectation: Expectation) -> Result<Self, InferenceError> {
        expectation.check(self.likelihood.as_ref())?;
        Ok(Self { expectation, ..self })
    }

    /// The same model, computed elsewhere. The numbers do not change.
    #[must_use]
    pub fn with_threading(self, threading: Threading) -> Self {
        Self { threading, ..self }
    }

    /// The prior covariances.
    #[must_use]
    pub fn kernels(&self) -> &[Box<dyn Kernel>] {
        &self.kernels
    }

    /// The prior covariances, to set, fix, bound or give priors to their parameters.
    pub fn kernels_mut(&mut self) -> &mut [Box<dyn Kernel>] {
        &mut self.kernels
    }

    /// What ties an observation to its latent values.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// The likelihood, to set, fix, bound or give priors to its parameters.
    pub fn likelihood_mut(&mut self) -> &mut dyn Likelihood {
        self.likelihood.as_mut()
    }

    /// How expected log densities are found.
    #[must_use]
    pub fn expectation(&self) -> &Expectation {
        &self.expectation
    }

    /// Who computes.
    #[must_use]
    pub fn threading(&self) -> Threading {
        self.threading
    }
}

impl ParameterSet for DenseVariational {
    fn visit(&self, visit: &mut dyn FnMut(&Parameter)) {
        self.kernels.iter().for_each(|kernel| kernel.for_each_parameter(visit));
        self.likelihood.parameters().iter().for_each(visit);
    }
}

impl ParameterSetMut for DenseVariational {
    fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Parameter)) {
        self.kernels.iter_mut().for_each(|kernel| kernel.for_each_parameter_mut(visit));
        self.likelihood.parameters_mut().iter_mut().for_each(visit);
    }
}
