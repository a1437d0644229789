//! Sites behind the posterior of a method.

use gp_ep::power_ep::Level;

/// Kind of the converged sites behind a posterior.
#[derive(Clone, Copy, Debug)]
pub struct RestingSites {
    /// Power α; 0 is the variational limit.
    pub power: f64,
    /// Argument of sites: projections or latent values.
    pub level: Level,
    /// `true` if the posterior is the sum of converged sites, one per observation. Under Gaussian noise these are
    /// independent.
    pub own: bool,
}

impl RestingSites {
    /// Those of variational inference, the limit of power 0.
    #[must_use]
    pub fn variational() -> Self {
        Self { power: 0.0, level: Level::Projection, own: false }
    }
}
