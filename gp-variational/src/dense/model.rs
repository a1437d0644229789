//! Dense model: kernels and likelihood.

use crate::expectation::Expectation;
use gp_ep::{InferenceError, check_count};
use gp_kernels::{Kernel, KernelExt as _};
use gp_likelihoods::Likelihood;
use gp_linalg::Threading;
use gp_optim::{Parameter, ParameterSet, ParameterSetMut};

/// Gaussian over all latent values, without inducing inputs.
///
/// Parameters: each kernel's, then the likelihood's.
#[derive(Clone, Debug)]
pub struct DenseVariational {
    kernels: Vec<Box<dyn Kernel>>,
    likelihood: Box<dyn Likelihood>,
    expectation: Expectation,
    threading: Threading,
}

impl DenseVariational {
    /// Model with one kernel per latent.
    ///
    /// # Errors
    /// [`InferenceError::Shape`]; [`InferenceError::Unsupported`] unless log-concave (use [`Savigp`](crate::Savigp)).
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

    /// Sets the expectation method.
    ///
    /// # Errors
    /// As [`Savigp::with_expectation`](crate::Savigp::with_expectation).
    pub fn with_expectation(self, expectation: Expectation) -> Result<Self, InferenceError> {
        expectation.check(self.likelihood.as_ref())?;
        Ok(Self { expectation, ..self })
    }

    /// Sets threading, without effect on results.
    #[must_use]
    pub fn with_threading(self, threading: Threading) -> Self {
        Self { threading, ..self }
    }

    /// Kernels, one per latent.
    #[must_use]
    pub fn kernels(&self) -> &[Box<dyn Kernel>] {
        &self.kernels
    }

    /// Kernels, mutable.
    pub fn kernels_mut(&mut self) -> &mut [Box<dyn Kernel>] {
        &mut self.kernels
    }

    /// Likelihood of the observations.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// Likelihood, mutable.
    pub fn likelihood_mut(&mut self) -> &mut dyn Likelihood {
        self.likelihood.as_mut()
    }

    /// Method for expected log densities.
    #[must_use]
    pub fn expectation(&self) -> &Expectation {
        &self.expectation
    }

    /// Threading policy.
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
