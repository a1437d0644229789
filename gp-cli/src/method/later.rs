//! More observations for a model.

use super::setting::Given;
use crate::error::CliError;
use crate::model::Approximation;
use faer::MatRef;

/// A model and observations that it has not seen, in its units.
#[derive(Clone, Copy, Debug)]
pub struct Later<'a> {
    /// Earlier posterior.
    pub before: &'a Approximation,
    /// Points, a row each.
    pub points: MatRef<'a, f64>,
    /// Their columns of observation, row by row, as [`TrainingRows`](super::TrainingRows) have them.
    pub observed: MatRef<'a, f64>,
    /// The power of each, where a column said it; none otherwise.
    pub powers: &'a [f64],
    /// Settings of the method when the model was fitted.
    pub given: &'a Given,
}

/// Result of an update.
#[derive(Clone, Debug)]
pub struct Updated {
    /// The posterior given old and new observations.
    pub posterior: Approximation,
    /// `ln p(new observations | old ones)`, exactly, as an estimate or as a bound: as the method has it.
    pub gain: f64,
    /// Description of the update.
    pub how: &'static str,
    /// Observations about the update that people should see.
    pub warnings: Vec<String>,
}

/// The error about a model that cannot take in more observations, and why.
#[must_use]
pub fn refused(method: &str, why: &str) -> CliError {
    CliError::usage(format!(
        "a model of method {method} takes in no more rows: {why}; fit it again with all rows"
    ))
}
