//! When a descent stops of its own accord.

use crate::solvers::OptimError;
use crate::solvers::options::check;
use serde::{Deserialize, Serialize};

/// Settings of [`Descent`](super::Descent) that do not depend on the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DescentOptions {
    /// Converged when |∂f/∂xᵢ| · max(|xᵢ|, 1) ≤ this · max(|f|, 1) for every i that moves. Heeded when batches are
    /// whole: the gradient of a part says nothing about a minimum.
    pub gradient_tolerance: f64,
    /// With whole batches: a step that leads below the best so far by at most this · max(|f|, 1) brought nothing. With
    /// mini-batches: a fall of the mean value over twenty blocks of at least twenty batches, from the older half to the
    /// newer one, that is no larger than this is none.
    pub value_tolerance: f64,
    /// So many in a row are a plateau, at least 1: of steps that brought nothing with whole batches; with mini-batches,
    /// of blocks up to which the objective was not found to fall by more than its noise (Mann and Kendall's test for a
    /// trend at 5 %).
    pub plateau: u64,
    /// So many failed evaluations in a row end the run, at least 1.
    pub max_failures: u64,
    /// Whether the objective changes under way, because something behind it is learning too. Values of different
    /// points are then not compared, even when batches are whole: the run ends where it was last.
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
    /// [`OptimError::InvalidOption`] names the first setting at fault.
    #[expect(clippy::cast_precision_loss, reason = "counts are shown, not computed with")]
    pub fn validate(&self) -> Result<(), OptimError> {
        let counts = [("plateau", self.plateau as f64), ("max_failures", self.max_failures as f64)];
        let tolerances =
            [("gradient_tolerance", self.gradient_tolerance), ("value_tolerance", self.value_tolerance)];
        check(&counts, "at least 1", |value| value >= 1.0)?;
        check(&tolerances, "finite and not negative", |value| value.is_finite() && value >= 0.0)
    }
}
