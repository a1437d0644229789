//! Converged sites behind a method's posterior.

use gp_ep::power_ep::Level;

/// Kind of the converged sites behind a posterior.
#[derive(Clone, Copy, Debug)]
pub struct RestingSites {
    /// Power α; 0 is the variational limit.
    pub power: f64,
    /// Argument of sites: projections or latent values.
    pub level: Level,
    /// `true` if the posterior consists of converged sites, one per observation. Under Gaussian noise these
    /// do not depend on each other.
    pub own: bool,
}

impl RestingSites {
    /// Sites of variational inference, the limit of power 0.
    #[must_use]
    pub fn variational() -> Self {
        Self { power: 0.0, level: Level::Projection, own: false }
    }
}
