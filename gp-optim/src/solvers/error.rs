//! What can keep a minimisation from running at all.

use super::checkpoint::CheckpointError;
use super::groups::GroupError;
use crate::number::format_number;

/// What is wrong with an evaluation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadEvaluation {
    /// The objective returned an error.
    #[error("the objective failed: {message}")]
    Failed {
        /// The objective's own message.
        message: String,
    },
    /// The value is NaN or infinite.
    #[error("the objective was {value}, but must be finite")]
    Value {
        /// The value found.
        value: f64,
    },
    /// An entry of the gradient is NaN or infinite.
    #[error("entry {index} of the gradient was {value}, but must be finite")]
    Gradient {
        /// Position in the gradient, counted from 0.
        index: usize,
        /// What was found there.
        value: f64,
    },
    /// The gradient is not as long as the parameters.
    #[error("the gradient had {entries} entries for {parameters} parameters")]
    GradientLength {
        /// The number of parameters.
        parameters: usize,
        /// The number of entries.
        entries: usize,
    },
    /// The point, or the slope there, left the range of floating point.
    #[error("the step left the range of floating point")]
    Overflow,
}

/// Why a minimisation could not start, or was broken off from outside.
///
/// Evaluations that fail later do not end up here: the solver steps back from them and reports their number.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OptimError {
    /// There is nothing to move.
    #[error("the start has no parameters")]
    NoParameters,
    /// A start that is not a point.
    #[error("parameter {index} of the start is {value}, but must be finite")]
    StartNotFinite {
        /// Position in the start vector, counted from 0.
        index: usize,
        /// What was found there.
        value: f64,
    },
    /// The objective cannot be evaluated at the start.
    #[error("at the start, {0}")]
    Start(BadEvaluation),
    /// An option outside its range.
    #[error("option `{name}` is {}, but must be {allowed}", format_number(*.value))]
    InvalidOption {
        /// Name of the option.
        name: &'static str,
        /// The value refused.
        value: f64,
        /// The condition it has to meet.
        allowed: &'static str,
    },
    /// An observer or a checkpoint attached to the run failed, or the state it resumed from does not fit.
    #[error("the run was broken off: {message}")]
    BrokenOff {
        /// The message of what failed.
        message: String,
    },
    /// The watcher of the run failed, such as one that writes a file.
    #[error("{message}")]
    Watcher {
        /// Its own message.
        message: String,
    },
    /// An end was requested. Nothing is lost: the run goes on from its checkpoint.
    #[error("interrupted after {iteration} iterations; {} has what is needed to go on", path.display())]
    Interrupted {
        /// Iterations done.
        iteration: u64,
        /// The checkpoint.
        path: std::path::PathBuf,
    },
    /// A checkpoint could not be written, or the one that was found must not be resumed from.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Groups of parameters, or a schedule over them, that cannot be.
    #[error(transparent)]
    Groups(#[from] GroupError),
    /// Learning rates for another number of parameters.
    #[error("there are {rates} learning rates for {parameters} parameters")]
    RateCount {
        /// The number of parameters.
        parameters: usize,
        /// The number of rates.
        rates: usize,
    },
}

impl OptimError {
    /// The typed error inside argmin's, or its message.
    pub(super) fn from_argmin(error: argmin::core::Error) -> Self {
        error.downcast().unwrap_or_else(|other| Self::BrokenOff { message: format!("{other:#}") })
    }
}
