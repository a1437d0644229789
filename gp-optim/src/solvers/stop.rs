//! Reasons to stop.

use argmin::core::{TerminationReason, TerminationStatus};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Reason that a run stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum StopReason {
    /// Gradient within tolerance.
    SmallGradient,
    /// No decrease, actual or predicted.
    Plateau,
    /// No decrease downhill, or too many failures: domain edge, barrier, rounding, wrong gradient.
    Blocked,
    /// No lower value: rounding or wrong gradient.
    NoProgress,
    /// Iteration limit reached.
    MaxIterations,
    /// Evaluation limit reached.
    MaxEvaluations,
    /// Time limit reached.
    TimeLimit,
    /// Target value reached.
    TargetReached,
    /// Interrupt requested.
    Interrupted,
    /// Mini-batches: plateau within noise.
    WithinNoise,
    /// Message of an observer or control.
    Other(String),
}

impl StopReason {
    /// `true` within tolerances or noise.
    #[must_use]
    pub fn is_converged(&self) -> bool {
        matches!(self, Self::SmallGradient | Self::Plateau | Self::WithinNoise)
    }

    /// `true` if an evaluation may have been cut short.
    pub(super) fn is_early(&self) -> bool {
        matches!(self, Self::TimeLimit | Self::Interrupted)
    }

    pub(super) fn status(reason: Option<&Self>) -> TerminationStatus {
        match reason {
            None => TerminationStatus::NotTerminated,
            Some(reason) if reason.is_converged() => {
                TerminationStatus::Terminated(TerminationReason::SolverConverged)
            }
            Some(reason) => TerminationStatus::Terminated(TerminationReason::SolverExit(reason.to_string())),
        }
    }

    pub(super) fn of_run(solver: Option<&Self>, executor: Option<&TerminationReason>) -> Self {
        match (executor, solver) {
            // Executor reasons that are set only without a valid reason of the solver.
            (Some(TerminationReason::Timeout), _) => Self::TimeLimit,
            (Some(TerminationReason::Interrupt), _) => Self::Interrupted,
            // A solver may converge as a limit is reached.
            (_, Some(reason)) => reason.clone(),
            (Some(TerminationReason::MaxItersReached), None) => Self::MaxIterations,
            (Some(TerminationReason::TargetCostReached), None) => Self::TargetReached,
            (Some(other), None) => Self::Other(other.text().to_owned()),
            (None, None) => Self::Other("the run ended without a reason".to_owned()),
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SmallGradient => "the gradient is small enough",
            Self::Plateau => "the value no longer decreases",
            Self::Blocked => "the value no longer decreases although its slope says that it should",
            Self::NoProgress => "no lower value was found along the steepest descent",
            Self::MaxIterations => "the iteration limit was reached",
            Self::MaxEvaluations => "the evaluation limit was reached",
            Self::TimeLimit => "the time limit was reached",
            Self::TargetReached => "the target value was reached",
            Self::Interrupted => "the run was interrupted",
            Self::WithinNoise => "the value no longer decreases within its noise",
            Self::Other(words) => words,
        })
    }
}
