//! Memory estimate of a run.

use super::options::{Coupling, IvmOptions};
use super::stubs::Stubs;

/// Bytes of a run by purpose, without the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// Stub vectors of all points: 16 N C d, half for independent classes.
    pub stubs: usize,
    /// Covariances of liquid points with all points, prior variances, and beliefs about all points for
    /// independent classes: O(N C L).
    pub rows: usize,
    /// Factors of the active set: O(C d²), and O(C² L²) for its liquid part.
    pub factors: usize,
}

impl MemoryEstimate {
    pub(super) fn new(points: usize, classes: usize, coupling: Coupling, options: &IvmOptions) -> Self {
        const NUMBER: usize = size_of::<f64>();
        let active = options.active.min(points);
        let product =
            |factors: &[usize]| factors.iter().fold(NUMBER, |product, n| product.saturating_mul(*n));
        let coupled = coupling == Coupling::Coupled;
        let liquid = if coupled { options.liquid.min(active) } else { 0 };
        let stubs = NUMBER.saturating_mul(Stubs::numbers(points, classes, active, coupled));
        // A row more for the prior variances, and one for the point that comes in; means and variances.
        let rows = product(&[points, classes, liquid + 2 + if coupled { 0 } else { 2 }]);
        // L⁽ᶜ⁾ while a run goes, and L⁽ᶜ⁾ and K_I for the posterior; L twice, while it is replaced.
        let frozen = product(&[active, active, 3 * classes + if coupled { 3 } else { 0 }]);
        let joint = product(&[classes * liquid, classes * liquid, 4]);
        let gathered = product(&[2 * active, classes * liquid]);
        Self { stubs, rows, factors: frozen.saturating_add(joint).saturating_add(gathered) }
    }

    /// Total bytes.
    #[must_use]
    pub fn total(&self) -> usize {
        self.stubs.saturating_add(self.rows).saturating_add(self.factors)
    }
}
