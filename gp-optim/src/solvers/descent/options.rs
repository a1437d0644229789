//! Stopping criteria of a descent.

use crate::solvers::OptimError;
use crate::solvers::options::check;
use serde::{Deserialize, Serialize};

/// Settings of [`Descent`](super::Descent).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DescentOptions {
    /// Converged (whole batches, no drift) if `|∂f/∂xᵢ| max(|xᵢ|, 1)` ≤ this · `max(|f|, 1)`.
    pub gradient_tolerance: f64,
    /// Negligible decrease, relative to `max(|f|, 1)`: per step or, for mini-batches, between halves of twenty blocks.
    pub value_tolerance: f64,
    /// Successive steps without decrease, or mini-batch blocks without trend (Mann-Kendall, 5 %), for convergence; at
    /// least 1.
    pub plateau: u64,
    /// Successive failures that end the run, at least 1.
    pub max_failures: u64,
    /// True if training changes the objective: only plateaus converge; the last point counts.
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
    /// Checks all settings.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`].
    #[expect(clippy::cast_precision_loss, reason = "counts are shown, not computed with")]
    pub fn validate(&self) -> Result<(), OptimError> {
        let counts = [("plateau", self.plateau as f64), ("max_failures", self.max_failures as f64)];
        let tolerances =
            [("gradient_tolerance", self.gradient_tolerance), ("value_tolerance", self.value_tolerance)];
        check(&counts, "at least 1", |value| value >= 1.0)?;
        check(&tolerances, "finite and not negative", |value| value.is_finite() && value >= 0.0)
    }
}
