//! Inputs of a pass.

use super::layout::Layout;
use super::tangent::Tangent;
use super::whitened::Whitened;
use crate::data::{DataError, SharedError};
use crate::error::KernelError;
use gp_linalg::LinalgError;
use gp_linalg::stop_condition::is_over;
use gp_optim::StopSignal;

/// Kernel, algebra or data error.
pub trait PassError: From<KernelError> + From<LinalgError> + SharedError {}

impl<E: From<KernelError> + From<LinalgError> + SharedError> PassError for E {}

/// Gaussians over inducing values.
pub trait Beliefs: Sync {
    /// Gaussian per component and latent function.
    fn of(&self, component: usize, latent: usize) -> Whitened<'_>;
}

/// Inputs of a pass.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// Layout of sums.
    pub layout: &'a Layout,
    /// Source of marginals, if any.
    pub beliefs: Option<&'a dyn Beliefs>,
    /// One per latent function, or none.
    pub tangents: &'a [Tangent],
}

impl<'a> Pass<'a> {
    /// Pass without marginals.
    #[must_use]
    pub fn new(layout: &'a Layout) -> Self {
        Self { layout, beliefs: None, tangents: &[] }
    }

    /// Adds marginals.
    #[must_use]
    pub fn with_beliefs(self, beliefs: &'a dyn Beliefs) -> Self {
        Self { beliefs: Some(beliefs), ..self }
    }

    /// `true` for derivatives by `K_zx`.
    pub(super) fn is_pulled(&self) -> bool {
        self.beliefs.is_some_and(|beliefs| matches!(beliefs.of(0, 0), Whitened::Pulled { .. }))
    }

    /// Adds tangents.
    #[must_use]
    pub fn with_tangents(self, tangents: &'a [Tangent]) -> Self {
        Self { tangents, ..self }
    }
}

/// Fails after a stop.
pub(super) fn check_stop(stop_signal: &StopSignal) -> Result<(), DataError> {
    if stop_signal.is_pulled() || is_over() { Err(DataError::Stopped) } else { Ok(()) }
}

/// [`check_stop`] for all processes at once.
pub(super) fn go_on_together(stop_signal: &StopSignal) -> Result<(), DataError> {
    if stop_signal.is_pulled_together() { Err(DataError::Stopped) } else { Ok(()) }
}
