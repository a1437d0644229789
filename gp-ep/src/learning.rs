//! Ways of learning and their results.

use crate::error::InferenceError;
use crate::posterior::Predictor;
use gp_optim::{
    Batches, Control, Descended, DescentOptions, DescentPlan, FirstOrder, MinimiseOptions, StopReason,
    Training, TrainingProgress,
};

/// Alternation of parameter and posterior updates.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "there is one a run, and it is moved once")]
pub enum Learning {
    /// L-BFGS; the posterior converges at every evaluation.
    Outer(MinimiseOptions),
    /// First-order parameter step after each posterior step (Hernández-Lobato & Hernández-Lobato 2016 §3.2).
    Inner(Steps),
    /// [`Inner`](Self::Inner) with one parameter step per mini-batch.
    Batches(Batches, Steps),
}

/// Settings of a first-order optimiser.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Steps {
    /// Update rule.
    pub rule: FirstOrder,
    /// Maximum number of steps.
    pub count: u64,
    /// Stopping criteria; the objective counts as drifting.
    pub descent: DescentOptions,
    /// `true` for [shorter](gp_optim::RateStage::cooling) final steps, against scatter.
    pub cools: bool,
    /// Time limit, interrupt, checkpoint.
    pub control: Control,
}

impl Steps {
    /// At most `count` steps; default options.
    pub fn new(rule: impl Into<FirstOrder>, count: u64) -> Self {
        let descent = DescentOptions { drifting: true, ..DescentOptions::default() };
        Self { rule: rule.into(), count, descent, cools: false, control: Control::new() }
    }

    /// Plan for the optimiser.
    #[must_use]
    pub fn plan(self, batches: Batches) -> DescentPlan<FirstOrder> {
        let options = DescentOptions { drifting: true, ..self.descent };
        let control = self.control.begun();
        DescentPlan { batches, rule: self.rule, options, steps: self.count, cools: self.cools, control }
    }
}

impl Learning {
    /// L-BFGS options, with the time limit started; [`InferenceError::Unsupported`] for other ways.
    pub fn outer_only(self) -> Result<MinimiseOptions, InferenceError> {
        let what = match self {
            Self::Outer(options) => {
                return Ok(MinimiseOptions { control: options.control.begun(), ..options });
            }
            Self::Inner(_) => "`Learning::Inner`: this method's posterior is not iterative",
            Self::Batches(..) => "`Learning::Batches`: this method needs all observations at once",
        };
        Err(InferenceError::Unsupported { what })
    }
}

/// Learning result besides parameters.
#[derive(Debug)]
pub struct Trained<S> {
    /// Course of learning.
    pub run: LearningRecord,
    /// Method state, to continue.
    pub state: S,
}

/// Record of the optimiser.
#[derive(Clone, Debug, PartialEq)]
pub enum LearningRecord {
    /// L-BFGS.
    Minimised(Training),
    /// First-order method.
    Descended(Descended),
}

impl LearningRecord {
    /// L-BFGS record, if used.
    #[must_use]
    pub fn training(&self) -> Option<&Training> {
        match self {
            Self::Minimised(training) => Some(training),
            Self::Descended(_) => None,
        }
    }

    /// First-order record, if used.
    #[must_use]
    pub fn descended(&self) -> Option<&Descended> {
        match self {
            Self::Minimised(_) => None,
            Self::Descended(run) => Some(run),
        }
    }

    /// Number of iterations.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        match self {
            Self::Minimised(training) => training.iterations,
            Self::Descended(run) => run.iterations,
        }
    }

    /// `true` on convergence.
    #[must_use]
    pub fn converged(&self) -> bool {
        match self {
            Self::Minimised(training) => training.converged,
            Self::Descended(run) => run.converged,
        }
    }

    /// Reason for stopping.
    #[must_use]
    pub fn reason(&self) -> &StopReason {
        match self {
            Self::Minimised(training) => &training.reason,
            Self::Descended(run) => &run.reason,
        }
    }

    /// Number of failed evaluations; the optimiser steps back.
    #[must_use]
    pub fn failed_evaluations(&self) -> u64 {
        match self {
            Self::Minimised(training) => training.failed_evaluations,
            Self::Descended(run) => run.failed_evaluations,
        }
    }
}

/// Callback after successful evaluations.
pub type OnEvaluation<'a, P> = &'a mut dyn FnMut(EvaluationState<'_, P>);

/// Argument of the callback.
#[derive(Clone, Copy)]
pub struct EvaluationState<'a, P> {
    /// Optimiser progress.
    pub progress: TrainingProgress,
    predictor: &'a dyn Fn() -> Result<Predictor<P>, InferenceError>,
}

impl<'a, P> EvaluationState<'a, P> {
    /// State whose `predictor` is called on demand.
    pub fn new(
        progress: TrainingProgress,
        predictor: &'a dyn Fn() -> Result<Predictor<P>, InferenceError>,
    ) -> Self {
        Self { progress, predictor }
    }

    /// Posterior, as far as converged; fails if the method does.
    pub fn predictor(&self) -> Result<Predictor<P>, InferenceError> {
        (self.predictor)()
    }
}

impl<P> std::fmt::Debug for EvaluationState<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Moment").field("progress", &self.progress).finish_non_exhaustive()
    }
}
