//! How parameters are learned, and what came of it: the same for every method.

use crate::error::InferenceError;
use crate::posterior::Predictor;
use gp_optim::{
    Batches, Control, Descended, DescentOptions, DescentPlan, FirstOrder, MinimiseOptions, StopReason,
    Training, TrainingProgress,
};

/// Who waits for whom when parameters are learned beside a posterior.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "there is one a run, and it is moved once")]
pub enum Learning {
    /// The posterior comes to rest for every value and gradient that L-BFGS asks for.
    Outer(MinimiseOptions),
    /// Parameters take a step of a first-order method whenever the posterior has taken one, so that both arrive together
    /// (Hernández-Lobato & Hernández-Lobato 2016 §3.2).
    Inner(Steps),
    /// The same, a step for every batch of observations.
    Batches(Batches, Steps),
}

/// Steps of a first-order method.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Steps {
    /// The method.
    pub rule: FirstOrder,
    /// Steps at most.
    pub count: u64,
    /// When the descent stops before that. The posterior moves beside it, so that it always counts as drifting.
    pub descent: DescentOptions,
    /// Whether steps become [shorter](gp_optim::RateStage::cooling) towards the end, so that it does not scatter; not
    /// unless asked.
    pub cools: bool,
    /// Who may end it, and the file from which it goes on.
    pub control: Control,
}

impl Steps {
    /// So many steps at most, with the usual options.
    pub fn new(rule: impl Into<FirstOrder>, count: u64) -> Self {
        let descent = DescentOptions { drifting: true, ..DescentOptions::default() };
        Self { rule: rule.into(), count, descent, cools: false, control: Control::new() }
    }

    /// These steps over such batches, from now on.
    #[must_use]
    pub fn plan(self, batches: Batches) -> DescentPlan<FirstOrder> {
        let options = DescentOptions { drifting: true, ..self.descent };
        let control = self.control.begun();
        DescentPlan { batches, rule: self.rule, options, steps: self.count, cools: self.cools, control }
    }
}

impl Learning {
    /// The options of L-BFGS, for a method that only learns outside; their clock begins now.
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] for every other way.
    pub fn outer_only(self) -> Result<MinimiseOptions, InferenceError> {
        let what = match self {
            Self::Outer(options) => {
                return Ok(MinimiseOptions { control: options.control.begun(), ..options });
            }
            Self::Inner(_) => "learning inside: the posterior takes no steps that parameters could wait for",
            Self::Batches(..) => "learning in mini-batches: the posterior needs all observations at once",
        };
        Err(InferenceError::Unsupported { what })
    }
}

/// What learning left: parameters are those of the model.
#[derive(Debug)]
pub struct Trained<S> {
    /// How it went.
    pub run: Course,
    /// What the method keeps beside the parameters: sites, memory and data, for what comes next.
    pub state: S,
}

/// How learning went.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// By L-BFGS.
    Minimised(Training),
    /// By a first-order method.
    Descended(Descended),
}

impl Course {
    /// The course of L-BFGS.
    #[must_use]
    pub fn training(&self) -> Option<&Training> {
        match self {
            Self::Minimised(training) => Some(training),
            Self::Descended(_) => None,
        }
    }

    /// The course of a first-order method.
    #[must_use]
    pub fn descended(&self) -> Option<&Descended> {
        match self {
            Self::Minimised(_) => None,
            Self::Descended(run) => Some(run),
        }
    }

    /// Iterations done.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        match self {
            Self::Minimised(training) => training.iterations,
            Self::Descended(run) => run.iterations,
        }
    }

    /// Whether it came to an end by itself.
    #[must_use]
    pub fn converged(&self) -> bool {
        match self {
            Self::Minimised(training) => training.converged,
            Self::Descended(run) => run.converged,
        }
    }

    /// Why it ended.
    #[must_use]
    pub fn reason(&self) -> &StopReason {
        match self {
            Self::Minimised(training) => &training.reason,
            Self::Descended(run) => &run.reason,
        }
    }

    /// Evaluations that failed, each stepped back from.
    #[must_use]
    pub fn failed_evaluations(&self) -> u64 {
        match self {
            Self::Minimised(training) => training.failed_evaluations,
            Self::Descended(run) => run.failed_evaluations,
        }
    }
}

/// Who is called after every evaluation that succeeds.
pub type Watch<'a, P> = &'a mut dyn FnMut(Moment<'_, P>);

/// What there is to see after an evaluation.
#[derive(Clone, Copy)]
pub struct Moment<'a, P> {
    /// How far it got.
    pub progress: TrainingProgress,
    predictor: &'a dyn Fn() -> Result<Predictor<P>, InferenceError>,
}

impl<'a, P> Moment<'a, P> {
    /// `predictor` makes the posterior of that moment.
    pub fn new(
        progress: TrainingProgress,
        predictor: &'a dyn Fn() -> Result<Predictor<P>, InferenceError>,
    ) -> Self {
        Self { progress, predictor }
    }

    /// The posterior under the parameters that were evaluated, as far as it has come.
    ///
    /// # Errors
    /// What keeps the method from a posterior.
    pub fn predictor(&self) -> Result<Predictor<P>, InferenceError> {
        (self.predictor)()
    }
}

impl<P> std::fmt::Debug for Moment<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Moment").field("progress", &self.progress).finish_non_exhaustive()
    }
}
