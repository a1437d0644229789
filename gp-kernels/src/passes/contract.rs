//! Inputs of a pass.

use super::layout::Layout;
use super::tangent::Tangent;
use super::whitened::Whitened;
use crate::data::{DataError, SharedError};
use crate::error::KernelError;
use gp_linalg::LinalgError;
use gp_linalg::stop_condition::is_over;
use gp_optim::StopSignal;

/// Error of a pass, convertible from errors of kernels, linear algebra and data.
pub trait PassError: From<KernelError> + From<LinalgError> + SharedError {}

impl<E: From<KernelError> + From<LinalgError> + SharedError> PassError for E {}

/// Beliefs about the inducing values of all latent functions.
pub trait Beliefs: Sync {
    /// Gaussian over the inducing values of one latent function in one component.
    fn of(&self, component: usize, latent: usize) -> Whitened<'_>;
}

/// Inputs of a pass.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// Layout of sums.
    pub layout: &'a Layout,
    /// Beliefs from which marginals are computed; None for a pass without marginals.
    pub beliefs: Option<&'a dyn Beliefs>,
    /// Dependence of each latent function's posterior on φ through its sites; empty if there is none.
    pub tangents: &'a [Tangent],
}

impl<'a> Pass<'a> {
    /// Pass with sums but without marginals.
    #[must_use]
    pub fn new(layout: &'a Layout) -> Self {
        Self { layout, beliefs: None, tangents: &[] }
    }

    /// Adds marginals, computed from these beliefs.
    #[must_use]
    pub fn with_beliefs(self, beliefs: &'a dyn Beliefs) -> Self {
        Self { beliefs: Some(beliefs), ..self }
    }

    /// `true` if beliefs give derivatives with respect to `K_zx`.
    pub(super) fn is_pulled(&self) -> bool {
        self.beliefs.is_some_and(|beliefs| matches!(beliefs.of(0, 0), Whitened::Pulled { .. }))
    }

    /// Adds tangents.
    #[must_use]
    pub fn with_tangents(self, tangents: &'a [Tangent]) -> Self {
        Self { tangents, ..self }
    }
}

/// Fails once the stop signal is set.
pub(super) fn go_on(stop_signal: &StopSignal) -> Result<(), DataError> {
    if stop_signal.is_pulled() || is_over() { Err(DataError::Stopped) } else { Ok(()) }
}

/// [`go_on`] for all processes of a team at once, before each pass.
pub(super) fn go_on_together(stop_signal: &StopSignal) -> Result<(), DataError> {
    if stop_signal.is_pulled_together() { Err(DataError::Stopped) } else { Ok(()) }
}
