//! Stopping criteria of a descent.

use crate::solvers::OptimError;
use crate::solvers::options::check;
use serde::{Deserialize, Serialize};

/// Settings of [`Descent`](super::Descent) for every method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DescentOptions {
    /// Converged, for whole batches without drift, if |∂f/∂xᵢ| · max(|xᵢ|, 1) ≤ this · max(|f|, 1) for every
    /// trained i.
    pub gradient_tolerance: f64,
    /// Negligible decrease, relative to max(|f|, 1): per step for whole batches; for mini-batches, of the
    /// mean between halves of twenty blocks.
    pub value_tolerance: f64,
    /// Converged after this many in a row, at least 1: steps without decrease for whole batches; for
    /// mini-batches, blocks without decrease beyond noise (Mann-Kendall test at 5 %).
    pub plateau: u64,
    /// Failed evaluations in a row that end the run, at least 1.
    pub max_failures: u64,
    /// True if something that the objective depends on is trained too: only a plateau is convergence, and
    /// the result is the last point.
    pub drifting: bool,
}

impl Default for DescentOptions {
    fn default() -> Self {
        Self {
            gradient_tolerance: 1e-6,
            value_tolerance: 1e-8,
            plateau: 30,
            max_failures: 50,
            drifting: false,
        }
    }
}

impl DescentOptions {
    /// Validates all settings.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`] for the first invalid one.
    #[expect(clippy::cast_precision_loss, reason = "counts are shown, not computed with")]
    pub fn validate(&self) -> Result<(), OptimError> {
        let counts = [("plateau", self.plateau as f64), ("max_failures", self.max_failures as f64)];
        let tolerances =
            [("gradient_tolerance", self.gradient_tolerance), ("value_tolerance", self.value_tolerance)];
        check(&counts, "at least 1", |value| value >= 1.0)?;
        check(&tolerances, "finite and not negative", |value| value.is_finite() && value >= 0.0)
    }
}
