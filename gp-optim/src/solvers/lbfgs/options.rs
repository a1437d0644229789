//! Settings of L-BFGS.

use crate::solvers::OptimError;
use crate::solvers::options::check;
use serde::{Deserialize, Serialize};

/// Settings of [`Lbfgs`](super::Lbfgs).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LbfgsOptions {
    /// Curvature pairs kept, at least 1.
    pub memory: usize,
    /// Converged if every `|∂f/∂xᵢ| max(|xᵢ|, 1)` ≤ this · `max(|f|, 1)`.
    pub gradient_tolerance: f64,
    /// Negligible decrease, relative to `max(|f|, 1)`.
    pub value_tolerance: f64,
    /// Successive iterations without decrease that end the run, at least 1.
    pub plateau: u64,
    /// Euclidean length of the first trial step.
    pub first_step: f64,
    /// Evaluations per line search, at least 1.
    pub search_evaluations: u64,
    /// Evaluations per run, at least 1.
    pub max_evaluations: u64,
}

impl Default for LbfgsOptions {
    fn default() -> Self {
        Self {
            memory: 10,
            gradient_tolerance: 1e-6,
            value_tolerance: 1e-10,
            plateau: 3,
            first_step: 1.0,
            search_evaluations: 20,
            max_evaluations: 15_000,
        }
    }
}

impl LbfgsOptions {
    /// Checks all settings.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`].
    #[expect(clippy::cast_precision_loss, reason = "counts are shown, not computed with")]
    pub fn validate(&self) -> Result<(), OptimError> {
        let at_least_one = [
            ("memory", self.memory as f64),
            ("plateau", self.plateau as f64),
            ("search_evaluations", self.search_evaluations as f64),
            ("max_evaluations", self.max_evaluations as f64),
        ];
        let tolerances =
            [("gradient_tolerance", self.gradient_tolerance), ("value_tolerance", self.value_tolerance)];
        check(&at_least_one, "at least 1", |value| value >= 1.0)?;
        check(&tolerances, "finite and not negative", |value| value.is_finite() && value >= 0.0)?;
        let positive = |value: f64| value.is_finite() && value > 0.0;
        check(&[("first_step", self.first_step)], "finite and positive", positive)
    }
}
