//! More observations for a model.

use super::setting::Given;
use crate::error::CliError;
use crate::model::Approximation;
use faer::MatRef;

/// A model and observations that it has not seen, in its units.
#[derive(Clone, Copy, Debug)]
pub struct Later<'a> {
    /// What was learned before.
    pub before: &'a Approximation,
    /// Points, a row each.
    pub points: MatRef<'a, f64>,
    /// Their columns of observation, row by row, as [`Rows`](super::Rows) have them.
    pub observed: MatRef<'a, f64>,
    /// The power of each, where a column said it; none otherwise.
    pub powers: &'a [f64],
    /// What was said of the method's settings when the model was fitted.
    pub given: &'a Given,
}

/// What became of them.
#[derive(Clone, Debug)]
pub struct Updated {
    /// The posterior given old and new observations.
    pub posterior: Approximation,
    /// `ln p(new observations | old ones)`, exactly, as an estimate or as a bound: as the method has it.
    pub gain: f64,
    /// What was done, in words.
    pub how: &'static str,
    /// What is worth knowing.
    pub warnings: Vec<String>,
}

/// The error about a model that cannot take in more observations, and why.
#[must_use]
pub fn refused(method: &str, why: &str) -> CliError {
    CliError::usage(format!(
        "a model of method {method} takes in no more rows: {why}; fit it again with all rows"
    ))
}
