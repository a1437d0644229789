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
    /// The objective returned an error.
    #[error("the objective failed: {message}")]
    Failed {
        /// Message of the objective.
        message: String,
    },
    /// The value is NaN or infinite.
    #[error("the objective was {value}, but must be finite")]
    Value {
        /// Value found.
        value: f64,
    },
    /// An entry of the gradient is NaN or infinite.
    #[error("entry {index} of the gradient was {value}, but must be finite")]
    Gradient {
        /// Position in the gradient, from 0.
        index: usize,
        /// Value found.
        value: f64,
    },
    /// The gradient has another length than the parameters.
    #[error("the gradient had {entries} entries for {parameters} parameters")]
    GradientLength {
        /// Number of parameters.
        parameters: usize,
        /// Number of entries.
        entries: usize,
    },
    /// Point or slope exceeds the range of floating point.
    #[error("the step left the range of floating point")]
    Overflow,
}

/// Reason that a minimisation could not start or was stopped.
///
/// Later failed evaluations are not errors: the solver steps back and counts them.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OptimError {
    /// The start has no parameters.
    #[error("the start has no parameters")]
    NoParameters,
    /// A coordinate of the start is NaN or infinite.
    #[error("parameter {index} of the start is {value}, but must be finite")]
    StartNotFinite {
        /// Position in the start, from 0.
        index: usize,
        /// Value found.
        value: f64,
    },
    /// The objective cannot be evaluated at the start.
    #[error("at the start, {0}")]
    Start(BadEvaluation),
    /// An option is out of range.
    #[error("option `{name}` is {}, but must be {allowed}", format_number(*.value))]
    InvalidOption {
        /// Option.
        name: &'static str,
        /// Value given.
        value: f64,
        /// Condition to meet.
        allowed: &'static str,
    },
    /// An observer or checkpoint failed, or a stored state does not fit.
    #[error("the run was broken off: {message}")]
    BrokenOff {
        /// Message of the failure.
        message: String,
    },
    /// The watcher of the run returned an error.
    #[error("{message}")]
    Watcher {
        /// Message of the watcher.
        message: String,
    },
    /// The run was interrupted and can be resumed from its checkpoint.
    #[error("interrupted after {iteration} iterations; {} has what is needed to go on", path.display())]
    Interrupted {
        /// Number of iterations.
        iteration: u64,
        /// Checkpoint file.
        path: std::path::PathBuf,
    },
    /// A checkpoint could not be written, or is not valid for this run.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Groups of parameters or their schedule are invalid.
    #[error(transparent)]
    Groups(#[from] GroupError),
    /// The number of learning rates is not the number of parameters.
    #[error("there are {rates} learning rates for {parameters} parameters")]
    RateCount {
        /// Number of parameters.
        parameters: usize,
        /// Number of rates.
        rates: usize,
    },
}

impl OptimError {
    /// Error of this crate inside argmin's error, or its message.
    pub(super) fn from_argmin(error: argmin::core::Error) -> Self {
        error.downcast().unwrap_or_else(|other| Self::BrokenOff { message: format!("{other:#}") })
    }
}
