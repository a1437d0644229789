//! Model of exact regression.

use gp_kernels::Kernel;
use gp_likelihoods::Gaussian;
use gp_linalg::{JitterPolicy, Threading};

/// Zero-mean Gaussian process with Gaussian noise.
#[derive(Clone, Debug)]
pub struct ExactGp {
    pub(super) kernel: Box<dyn Kernel>,
    pub(super) noise: Gaussian,
    pub(super) jitter: JitterPolicy,
    pub(super) threading: Threading,
}

impl ExactGp {
    /// Model with [`JitterPolicy::ladder`], on rayon's current pool.
    #[must_use]
    pub fn new(kernel: Box<dyn Kernel>, noise: Gaussian) -> Self {
        Self { kernel, noise, jitter: JitterPolicy::ladder(), threading: Threading::Pool }
    }

    /// Sets the jitter policy of `K_y`.
    #[must_use]
    pub fn with_jitter(self, jitter: JitterPolicy) -> Self {
        Self { jitter, ..self }
    }

    /// Sets threading; results do not change.
    #[must_use]
    pub fn with_threading(self, threading: Threading) -> Self {
        Self { threading, ..self }
    }

    /// Prior covariance.
    #[must_use]
    pub fn kernel(&self) -> &dyn Kernel {
        self.kernel.as_ref()
    }

    /// Kernel, to change parameters.
    pub fn kernel_mut(&mut self) -> &mut dyn Kernel {
        self.kernel.as_mut()
    }

    /// Observation noise.
    #[must_use]
    pub fn noise(&self) -> &Gaussian {
        &self.noise
    }

    /// Noise, to change the variance.
    pub fn noise_mut(&mut self) -> &mut Gaussian {
        &mut self.noise
    }
}
