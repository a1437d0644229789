//! Rival classes of a race, and their memory.

use crate::quadrature::LANES;

/// `z_c` and `φ(z_c)/(Φ(z_c) √v_c)` at a few nodes, for one rival.
pub(super) type Lane = ([f64; LANES], [f64; LANES]);

pub(super) type Lanes = Vec<Lane>;

/// Standard deviations beyond which a Gaussian has mass 2e-16.
pub(super) const REACH: f64 = 8.2;

/// Another class, relative to the winner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rival {
    pub(super) class: usize,
    /// Its mean less the winner's, so that rounding of large means does not affect small variances.
    pub(super) lead: f64,
    pub(super) variance: f64,
    pub(super) deviation: f64,
}

impl Rival {
    /// Position of the winner's value t in standard deviations of the rival from its mean; `scale` is the
    /// winner's.
    pub(super) fn place(&self, t: f64, scale: f64) -> f64 {
        (scale * t - self.lead) / self.deviation
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Rivals {
    pub(super) list: Vec<Rival>,
    pub(super) lanes: Lanes,
}
