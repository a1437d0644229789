//! Rival classes of a race.

use crate::quadrature::LANES;

/// `z_c` and `φ(z_c)/(Φ(z_c) √v_c)` at a few nodes.
pub(super) type Lane = ([f64; LANES], [f64; LANES]);

pub(super) type Lanes = Vec<Lane>;

/// Standard deviations; mass 2e-16 beyond.
pub(super) const REACH: f64 = 8.2;

#[derive(Clone, Copy, Debug)]
pub(super) struct Rival {
    pub(super) class: usize,
    /// Mean less the winner's.
    pub(super) lead: f64,
    pub(super) variance: f64,
    pub(super) deviation: f64,
}

impl Rival {
    /// Winner's t in rival deviations; `scale`: winner's deviation.
    pub(super) fn place(&self, t: f64, scale: f64) -> f64 {
        (scale * t - self.lead) / self.deviation
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Rivals {
    pub(super) list: Vec<Rival>,
    pub(super) lanes: Lanes,
}
