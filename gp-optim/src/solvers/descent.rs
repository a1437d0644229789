//! First-order methods that survive bad evaluations, on mini-batches or on the whole objective.

mod adadelta;
mod adam;
mod momentum;
mod options;
mod rule;
mod run;
mod sign_adaptive;
mod watch;

pub use adadelta::Adadelta;
pub use adam::Adam;
pub use momentum::{Momentum, Nesterov};
pub use options::{DescentOptions, RateStage};
pub use rule::UpdateRule;
pub use run::{Descended, DescentRun, descend, descend_with};
pub use sign_adaptive::SignAdaptive;

use super::batches::Batches;
use super::error::{BadEvaluation, OptimError};
use super::lbfgs::LbfgsState;
use super::stop::StopReason;
use super::vector::{add_into, all_finite};
use crate::stochastic::StochasticObjective;
use argmin::core::{Error, KV, KvValue, Problem, Solver, TerminationStatus};
use serde::{Deserialize, Serialize};
use watch::{Verdict, Watch};

/// The key under which observers find the value of a mini-batch, an estimate of the objective.
pub(super) const BATCH_VALUE: &str = "batch_value";

/// A first-order method as an argmin [`Solver`] of any [`StochasticObjective`].
///
/// One iteration adds the change that the method's [`UpdateRule`] made of the last gradient, draws a batch and
/// evaluates at the new point: the state's gradient is that of its parameters, and absent after a failure.
///
/// - An error, a NaN or an infinity is counted, and half the step is tried from the same point on the next batch.
///   At the start it is an [`OptimError`].
/// - When batches are whole, the state's cost is the objective, and its best parameters are the lowest point seen.
///   Otherwise no batch is comparable with another: the cost stays infinite and the best parameters are the last
///   ones. Observers then find the estimate as `batch_value`.
/// - The solver (and so a checkpoint) holds method, batches and everything else that the next step depends on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Descent<R> {
    rule: R,
    batches: Batches,
    options: DescentOptions,
    stages: Vec<RateStage>,
    watch: Watch,
    /// What is to be added to the parameters next.
    change: Vec<f64>,
    evaluations: u64,
    failures: u64,
    failures_in_a_row: u64,
    last_failure: Option<String>,
    stop: Option<StopReason>,
}

impl<R: UpdateRule> Descent<R> {
    /// A solver that has not run yet, with default options.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`] for a setting of the rule out of its range.
    pub fn new(rule: R, batches: Batches) -> Result<Self, OptimError> {
        Self::with_options(rule, batches, DescentOptions::default())
    }

    /// A solver that has not run yet.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`] for a setting of the rule or the options out of its range.
    pub fn with_options(rule: R, batches: Batches, options: DescentOptions) -> Result<Self, OptimError> {
        options.validate()?;
        if let Some((name, value, allowed)) = rule.invalid_setting() {
            return Err(OptimError::InvalidOption { name, value, allowed });
        }
        Ok(Self {
            rule,
            batches,
            options,
            stages: Vec::new(),
            watch: Watch::default(),
            change: Vec::new(),
            evaluations: 0,
            failures: 0,
            failures_in_a_row: 0,
            last_failure: None,
            stop: None,
        })
    }

    /// Sets learning rates for each parameter, in one or more stages. Checked when the run starts.
    #[must_use]
    pub fn stages(mut self, stages: Vec<RateStage>) -> Self {
        self.stages = stages;
        self
    }

    /// The schedule of batches, where it stands.
    #[must_use]
    pub fn batches(&self) -> &Batches {
        &self.batches
    }

    /// Evaluations of a batch, failures included.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Evaluations that failed or gave something that is not finite.
    #[must_use]
    pub fn failed_evaluations(&self) -> u64 {
        self.failures
    }

    /// What the last failed evaluation had to say.
    #[must_use]
    pub fn last_failure(&self) -> Option<&str> {
        self.last_failure.as_deref()
    }

    /// The mean of the values of the batches over the last epoch that was completed.
    #[must_use]
    pub fn epoch_value(&self) -> Option<f64> {
        self.watch.epoch_value()
    }

    /// Why the solver itself asked to stop; nothing while it runs or when a budget of the executor ended the run.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.stop.as_ref()
    }

    fn rates(&self) -> Option<&[f64]> {
        self.stages.get(self.watch.stage()).map(|stage| stage.rates.as_slice())
    }

    /// Evaluates the next batch. On a failure the gradient is of no use.
    fn evaluate<O: StochasticObjective>(
        &mut self,
        problem: &mut Problem<O>,
        x: &[f64],
        finite: bool,
        gradient: &mut Vec<f64>,
    ) -> Result<f64, BadEvaluation> {
        // NaN at the start, and after a failure: an entry that the objective forgets must not pass for a derivative.
        gradient.resize(x.len(), f64::NAN);
        self.evaluations += 1;
        let batch = self.batches.draw();
        if !finite {
            return Err(BadEvaluation::Overflow);
        }
        let Some(objective) = problem.problem.as_mut() else {
            return Err(BadEvaluation::Failed { message: "there is no objective".to_owned() });
        };
        let value = objective
            .evaluate_batch(x, batch, gradient)
            .map_err(|error| BadEvaluation::Failed { message: error.to_string() })?;
        if !value.is_finite() {
            return Err(BadEvaluation::Value { value });
        }
        if all_finite(gradient) {
            return Ok(value);
        }
        let index = gradient.iter().position(|entry| !entry.is_finite()).unwrap_or_default();
        Err(BadEvaluation::Gradient { index, value: gradient[index] })
    }

    /// Learns from a gradient: sets the next change, and the reason to stop if there is one.
    fn learn(&mut self, x: &[f64], value: f64, gradient: &[f64]) {
        self.failures_in_a_row = 0;
        if self.batches.are_whole() && self.is_small(x, value, gradient) {
            self.stop = Some(StopReason::SmallGradient);
        }
        self.rule.step(gradient, &mut self.change);
        // Not `self.rates()`: that would borrow the change as well.
        if let Some(stage) = self.stages.get(self.watch.stage()) {
            self.change.iter_mut().zip(&stage.rates).for_each(|(change, rate)| *change *= rate);
        }
    }

    /// Whether no parameter that moves has a gradient to speak of.
    fn is_small(&self, x: &[f64], value: f64, gradient: &[f64]) -> bool {
        let limit = self.options.gradient_tolerance * value.abs().max(1.0);
        let rates = self.rates();
        let moves = |i: usize| rates.is_none_or(|rates| rates.get(i).is_none_or(|&rate| rate > 0.0));
        let is_last_stage = self.watch.stage() + 1 >= self.stages.len();
        let mut entries = gradient.iter().zip(x).enumerate();
        is_last_stage && entries.all(|(i, (g, x))| g.abs() * x.abs().max(1.0) <= limit || !moves(i))
    }

    /// Counts a failure and halves the step that led to it.
    fn back_off(&mut self, bad: &BadEvaluation) {
        self.failures += 1;
        self.failures_in_a_row += 1;
        self.last_failure = Some(bad.to_string());
        self.rule.recoil();
        for change in &mut self.change {
            *change = if change.is_finite() { 0.5 * *change } else { 0.0 };
        }
        if self.failures_in_a_row >= self.options.max_failures {
            self.stop = Some(StopReason::Blocked);
        }
    }

    /// Takes note of what a batch came to, and moves on to the next stage when this one is over.
    fn watch_epoch(&mut self, value: Option<f64>) {
        let (drawn, ends) = (self.batches.last_len(), self.batches.ends_epoch());
        let verdict = self.watch.batch(value, drawn, ends, &self.options);
        let epochs = self.stages.get(self.watch.stage()).map_or(u64::MAX, |stage| stage.epochs);
        let more_stages = self.watch.stage() + 1 < self.stages.len();
        match verdict {
            Verdict::Plateau if !more_stages => {
                self.stop.get_or_insert(StopReason::Plateau);
            }
            Verdict::Plateau => self.watch.next_stage(),
            Verdict::Going { epochs_in_stage } if more_stages && epochs_in_stage >= epochs => {
                self.watch.next_stage();
            }
            Verdict::Going { .. } => {}
        }
    }

    /// Costs that are comparable go into the state; estimates are told to observers only.
    fn report(&self, mut state: LbfgsState, value: f64) -> (LbfgsState, Option<KV>) {
        if self.batches.are_whole() {
            state = state.cost(value);
            return (state, None);
        }
        let mut estimate = KV::new();
        estimate.insert(BATCH_VALUE, KvValue::Float(value));
        (state, Some(estimate))
    }

    fn check_start(&self, x: &[f64]) -> Result<(), OptimError> {
        if x.is_empty() {
            return Err(OptimError::NoParameters);
        }
        if let Some(index) = x.iter().position(|value| !value.is_finite()) {
            return Err(OptimError::StartNotFinite { index, value: x[index] });
        }
        if self.rule.parameters().is_some_and(|n| n != x.len()) {
            return Err(does_not_fit());
        }
        self.stages.iter().try_for_each(|stage| stage.validate(x.len()))
    }
}

fn does_not_fit() -> OptimError {
    let message = "parameters, gradient and memory are of different lengths".to_owned();
    OptimError::BrokenOff { message }
}

impl<O: StochasticObjective, R: UpdateRule> Solver<O, LbfgsState> for Descent<R> {
    fn name(&self) -> &str {
        self.rule.name()
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        mut state: LbfgsState,
    ) -> Result<(LbfgsState, Option<KV>), Error> {
        let x = state.take_param().unwrap_or_default();
        self.check_start(&x)?;
        let mut gradient = Vec::new();
        let value = self.evaluate(problem, &x, true, &mut gradient).map_err(OptimError::Start)?;
        self.change = vec![0.0; x.len()];
        self.watch_epoch(Some(value));
        self.learn(&x, value, &gradient);
        Ok(self.report(state.param(x).gradient(gradient), value))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        mut state: LbfgsState,
    ) -> Result<(LbfgsState, Option<KV>), Error> {
        let here = state.param.as_deref().unwrap_or_default();
        let rule_fits = self.rule.parameters().is_none_or(|n| n == here.len());
        if here.is_empty() || self.change.len() != here.len() || !rule_fits {
            return Err(does_not_fit().into());
        }
        // The point before last is free to be written over.
        let mut x = state.prev_param.take().unwrap_or_default();
        x.resize(here.len(), 0.0);
        let finite = add_into(&mut x, here, &self.change);
        // The method has learnt from the last gradient: it may be written over too.
        let mut gradient = state.grad.take().unwrap_or_default();
        match self.evaluate(problem, &x, finite, &mut gradient) {
            Ok(value) => {
                self.watch_epoch(Some(value));
                self.learn(&x, value, &gradient);
                Ok(self.report(state.param(x).gradient(gradient), value))
            }
            Err(bad) => {
                self.watch_epoch(None);
                self.back_off(&bad);
                state.prev_param = Some(x);
                Ok((state, None))
            }
        }
    }

    fn terminate(&mut self, _state: &LbfgsState) -> TerminationStatus {
        StopReason::status(self.stop.as_ref())
    }
}
