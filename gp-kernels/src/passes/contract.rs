//! What a pass goes by: beliefs, what is added up, and when work ends.

use super::layout::Layout;
use super::tangent::Tangent;
use super::whitened::Whitened;
use crate::data::DataError;
use crate::error::KernelError;
use gp_linalg::LinalgError;
use gp_optim::Brake;

/// What can go wrong in a pass, beside what a rule reports.
pub trait PassError: From<KernelError> + From<DataError> + From<LinalgError> + Send {}

impl<E: From<KernelError> + From<DataError> + From<LinalgError> + Send> PassError for E {}

/// What is believed about the inducing values of all latent functions.
pub trait Beliefs: Sync {
    /// The Gaussian of one latent function in one component.
    fn of(&self, component: usize, latent: usize) -> Whitened<'_>;
}

/// What a pass goes by.
#[derive(Clone, Copy)]
pub struct Pass<'a> {
    /// What is added up.
    pub layout: &'a Layout,
    /// What marginals are of; nothing for a pass without.
    pub beliefs: Option<&'a dyn Beliefs>,
    /// How the posterior moves with its sites, one per latent function; none where it does not.
    pub tangents: &'a [Tangent],
}

impl<'a> Pass<'a> {
    /// A pass that adds up without looking at marginals.
    #[must_use]
    pub fn new(layout: &'a Layout) -> Self {
        Self { layout, beliefs: None, tangents: &[] }
    }

    /// The same with marginals under these beliefs.
    #[must_use]
    pub fn with_beliefs(self, beliefs: &'a dyn Beliefs) -> Self {
        Self { beliefs: Some(beliefs), ..self }
    }

    /// The same with a posterior that moves.
    #[must_use]
    pub fn with_tangents(self, tangents: &'a [Tangent]) -> Self {
        Self { tangents, ..self }
    }
}

/// `Ok` as long as work is to go on.
pub(super) fn go_on(brake: &Brake) -> Result<(), DataError> {
    if brake.is_pulled() { Err(DataError::Stopped) } else { Ok(()) }
}
