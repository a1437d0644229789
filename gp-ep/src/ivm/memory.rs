//! Memory estimate of a run.

use super::options::{Coupling, IvmOptions};
use super::stubs::Stubs;

/// Bytes of a run, without the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// `8 N C d` if independent, `32 s C d` for s coupled candidates.
    pub stubs: usize,
    /// Prior variances, O(N C); if independent, means and variances.
    pub rows: usize,
    /// Factors O(C d²) and liquid covariance O(C² L²).
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
        let candidates = options.candidate_count(points, classes, coupling);
        let stubs = match coupling {
            Coupling::Coupled => product(&[4, candidates, classes, active]),
            Coupling::Independent => NUMBER.saturating_mul(Stubs::numbers(points, classes, active)),
        };
        // Rows per class: prior variances; if independent, also covariances with the new point, means and variances.
        let rows = product(&[points, classes, if coupled { 1 } else { 4 }]);
        // L⁽ᶜ⁾ and K_I, both during a run and for the posterior; H twice, L twice.
        let frozen = product(&[active, active, 4 * classes + if coupled { 4 } else { 0 }]);
        let joint = product(&[classes * liquid, classes * liquid, 4]);
        let gathered = product(&[2 * active, classes * liquid]);
        Self { stubs, rows, factors: frozen.saturating_add(joint).saturating_add(gathered) }
    }

    /// Sum in bytes.
    #[must_use]
    pub fn total(&self) -> usize {
        self.stubs.saturating_add(self.rows).saturating_add(self.factors)
    }
}
