//! Stopping criteria of a descent.

use crate::solvers::OptimError;
use crate::solvers::options::check;
use serde::{Deserialize, Serialize};

/// Settings of [`Descent`](super::Descent) that do not depend on the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DescentOptions {
    /// Convergence: |∂f/∂xᵢ| · max(|xᵢ|, 1) ≤ this · max(|f|, 1) for every moving i. Whole batches only.
    pub gradient_tolerance: f64,
    /// Whole batches: a step that lowers the best value by at most this · max(|f|, 1) counts as none.
    /// Mini-batches: the least relevant fall of the mean value over twenty blocks, from older to newer
    /// half.
    pub value_tolerance: f64,
    /// Number in a row that make a plateau, at least 1: of steps without decrease for whole batches; of
    /// blocks without a fall beyond noise (Mann and Kendall's test at 5 %) for mini-batches.
    pub plateau: u64,
    /// Failed evaluations in a row that end the run, at least 1.
    pub max_failures: u64,
    /// `true` if the objective changes because something behind it learns too. Values are then not
    /// compared, and the run ends at its last point.
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
    /// Checks every setting against its range.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`] names the first invalid setting.
    #[expect(clippy::cast_precision_loss, reason = "counts are shown, not computed with")]
    pub fn validate(&self) -> Result<(), OptimError> {
        let counts = [("plateau", self.plateau as f64), ("max_failures", self.max_failures as f64)];
        let tolerances =
            [("gradient_tolerance", self.gradient_tolerance), ("value_tolerance", self.value_tolerance)];
        check(&counts, "at least 1", |value| value >= 1.0)?;
        check(&tolerances, "finite and not negative", |value| value.is_finite() && value >= 0.0)
    }
}
