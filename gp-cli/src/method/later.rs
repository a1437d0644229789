//! Updates of models with new observations.

use super::given::Given;
use crate::error::CliError;
use crate::model::Approximation;
use faer::MatRef;

/// Model and new observations, in model units.
#[derive(Clone, Copy, Debug)]
pub struct Later<'a> {
    /// Posterior to update.
    pub before: &'a Approximation,
    /// Points, one per row.
    pub points: MatRef<'a, f64>,
    /// Observation columns, row-major, as in [`TrainingRows`](super::TrainingRows).
    pub observed: MatRef<'a, f64>,
    /// Power per observation, if given.
    pub powers: &'a [f64],
    /// Settings of the original fit.
    pub given: &'a Given,
}

/// Result of an update.
#[derive(Clone, Debug)]
pub struct Updated {
    /// Posterior given old and new observations.
    pub posterior: Approximation,
    /// `ln p(new observations | old)`: exact, estimate or bound, by method.
    pub gain: f64,
    /// Description of the update.
    pub how: &'static str,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// Error refusing an update, with reason.
#[must_use]
pub fn refused(method: &str, why: &str) -> CliError {
    CliError::usage(format!(
        "a model of method {method} takes in no more rows: {why}; fit it again with all rows"
    ))
}
