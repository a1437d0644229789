//! The model: a kernel, Gaussian noise, and how to compute with them.

use gp_kernels::Kernel;
use gp_likelihoods::Gaussian;
use gp_linalg::{JitterPolicy, Threading};

/// A Gaussian process with zero mean, observed under Gaussian noise.
#[derive(Clone, Debug)]
pub struct ExactGp {
    pub(super) kernel: Box<dyn Kernel>,
    pub(super) noise: Gaussian,
    pub(super) jitter: JitterPolicy,
    pub(super) threading: Threading,
}

impl ExactGp {
    /// A model with this prior covariance and noise. Large products run on rayon's current pool, and jitter is added
    /// by [`JitterPolicy::ladder`].
    #[must_use]
    pub fn new(kernel: Box<dyn Kernel>, noise: Gaussian) -> Self {
        Self { kernel, noise, jitter: JitterPolicy::ladder(), threading: Threading::Pool }
    }

    /// The same model with another rule for covariance matrices that have no numerical Cholesky factor.
    #[must_use]
    pub fn with_jitter(self, jitter: JitterPolicy) -> Self {
        Self { jitter, ..self }
    }

    /// The same model, computed elsewhere. The numbers do not change.
    #[must_use]
    pub fn with_threading(self, threading: Threading) -> Self {
        Self { threading, ..self }
    }

    /// The prior covariance.
    #[must_use]
    pub fn kernel(&self) -> &dyn Kernel {
        self.kernel.as_ref()
    }

    /// The prior covariance, to set, fix, bound or give priors to its parameters.
    pub fn kernel_mut(&mut self) -> &mut dyn Kernel {
        self.kernel.as_mut()
    }

    /// The observation noise.
    #[must_use]
    pub fn noise(&self) -> &Gaussian {
        &self.noise
    }

    /// The observation noise, to set, fix, bound or give a prior to its variance.
    pub fn noise_mut(&mut self) -> &mut Gaussian {
        &mut self.noise
    }
}
