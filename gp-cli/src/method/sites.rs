//! Converged sites behind a method's posterior.

use gp_ep::power_ep::Level;

/// Kind of converged sites.
#[derive(Clone, Copy, Debug)]
pub struct ConvergedSites {
    /// Power α; 0 is the variational limit.
    pub power: f64,
    /// Argument of sites: projections or latent values.
    pub level: Level,
    /// `true` for one converged site per observation, independent under Gaussian noise.
    pub own: bool,
}

impl ConvergedSites {
    /// Sites of variational inference, power 0.
    #[must_use]
    pub fn variational() -> Self {
        Self { power: 0.0, level: Level::Projection, own: false }
    }
}
