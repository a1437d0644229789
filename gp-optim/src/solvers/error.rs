//! Errors of minimisation.

mod checkpoint;
mod groups;

pub use checkpoint::CheckpointError;
pub use groups::GroupError;

use crate::number::format_number;

/// Failed evaluation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadEvaluation {
    /// Error of the objective.
    #[error("the objective failed: {message}")]
    Failed {
        /// Message of the objective.
        message: String,
    },
    /// NaN or infinite value.
    #[error("the objective was {value}, but must be finite")]
    Value {
        /// Invalid value.
        value: f64,
    },
    /// NaN or infinite gradient entry.
    #[error("entry {index} of the gradient was {value}, but must be finite")]
    Gradient {
        /// Position in the gradient, from 0.
        index: usize,
        /// Invalid entry.
        value: f64,
    },
    /// Gradient of wrong length.
    #[error("the gradient had {entries} entries for {parameters} parameters")]
    GradientLength {
        /// Number of parameters.
        parameters: usize,
        /// Number of entries.
        entries: usize,
    },
    /// Overflow of point or slope.
    #[error("the step left the range of floating point")]
    Overflow,
}

/// Failed run. Failures after the start are counted instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OptimError {
    /// Start without parameters.
    #[error("the start has no parameters")]
    NoParameters,
    /// NaN or infinite start coordinate.
    #[error("parameter {index} of the start is {value}, but must be finite")]
    StartNotFinite {
        /// Position, from 0.
        index: usize,
        /// Invalid coordinate.
        value: f64,
    },
    /// Failed evaluation of the start.
    #[error("at the start, {0}")]
    Start(BadEvaluation),
    /// Option out of range.
    #[error("option `{name}` is {}, but must be {allowed}", format_number(*.value))]
    InvalidOption {
        /// Option.
        name: &'static str,
        /// Given value.
        value: f64,
        /// Condition to meet.
        allowed: &'static str,
    },
    /// Failed observer, checkpoint or state.
    #[error("the run failed: {message}")]
    BrokenOff {
        /// Message of the failure.
        message: String,
    },
    /// Error of the watcher.
    #[error("{message}")]
    Watcher {
        /// Message of the watcher.
        message: String,
    },
    /// Resumable interrupted run.
    #[error("interrupted after {iteration} iterations; resume from {}", path.display())]
    Interrupted {
        /// Number of iterations.
        iteration: u64,
        /// Checkpoint file.
        path: std::path::PathBuf,
    },
    /// Unwritten or invalid checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Invalid groups or schedule.
    #[error(transparent)]
    Groups(#[from] GroupError),
    /// Wrong number of learning rates.
    #[error("there are {rates} learning rates for {parameters} parameters")]
    RateCount {
        /// Number of parameters.
        parameters: usize,
        /// Number of rates.
        rates: usize,
    },
}

impl OptimError {
    /// Error of this crate, otherwise argmin's message.
    pub(super) fn from_argmin(error: argmin::core::Error) -> Self {
        error.downcast().unwrap_or_else(|other| Self::BrokenOff { message: format!("{other:#}") })
    }
}
