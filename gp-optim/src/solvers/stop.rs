//! Reasons for the end of a run.

use argmin::core::{TerminationReason, TerminationStatus};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Reason for the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum StopReason {
    /// The gradient is within tolerance.
    SmallGradient,
    /// The value no longer decreases, and the quadratic model promises no decrease.
    Plateau,
    /// The value no longer decreases although its slope promises it: an edge of the domain, a wall of
    /// penalties, rounding, or a wrong gradient.
    Blocked,
    /// Steepest descent found no lower value although all evaluations succeeded: rounding, or a wrong
    /// gradient.
    NoProgress,
    /// The iteration limit was reached.
    MaxIterations,
    /// The evaluation limit was reached.
    MaxEvaluations,
    /// The time limit was reached.
    TimeLimit,
    /// The target value set on the run was reached.
    TargetReached,
    /// The run was interrupted.
    Interrupted,
    /// The mean value of mini-batches no longer decreases, within its noise.
    WithinNoise,
    /// An observer or control ended the run, with these words.
    Other(String),
}

impl StopReason {
    /// `true` if the end is a minimum within tolerances.
    #[must_use]
    pub fn is_converged(&self) -> bool {
        matches!(self, Self::SmallGradient | Self::Plateau | Self::WithinNoise)
    }

    /// Status of a solver for the executor.
    pub(super) fn status(reason: Option<&Self>) -> TerminationStatus {
        match reason {
            None => TerminationStatus::NotTerminated,
            Some(reason) if reason.is_converged() => {
                TerminationStatus::Terminated(TerminationReason::SolverConverged)
            }
            Some(reason) => TerminationStatus::Terminated(TerminationReason::SolverExit(reason.to_string())),
        }
    }

    /// Reason for the end, from solver and executor.
    pub(super) fn of_run(solver: Option<&Self>, executor: Option<&TerminationReason>) -> Self {
        match (executor, solver) {
            // The executor says so only where the solver had no reason of its own, or one that was no more than evaluations
            // which were ended.
            (Some(TerminationReason::Timeout), _) => Self::TimeLimit,
            (Some(TerminationReason::Interrupt), _) => Self::Interrupted,
            // A solver that has converged in the very iteration in which a budget ran out has still converged.
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
