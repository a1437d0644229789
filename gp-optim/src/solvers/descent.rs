//! First-order methods on mini-batches or the whole objective.

mod adadelta;
mod adam;
mod first_order;
mod momentum;
mod options;
mod rule;
mod run;
mod settled;
mod sign_adaptive;
mod stages;
mod watch;

pub use adadelta::Adadelta;
pub use adam::Adam;
pub use first_order::FirstOrder;
pub use momentum::Momentum;
pub use options::DescentOptions;
pub use rule::UpdateRule;
pub use run::{Descended, DescentRun, descend, descend_with};
pub use sign_adaptive::SignAdaptive;
pub use stages::RateStage;

use super::batches::Batches;
use super::error::{BadEvaluation, OptimError};
use super::point::{DescentState, Point};
use super::stop::StopReason;
use super::vector::{add_to, all_finite};
use crate::stochastic::StochasticObjective;
use argmin::core::{Error, KV, KvValue, Problem, Solver, TerminationStatus};
use serde::{Deserialize, Serialize};
use settled::Settled;
use stages::Stages;
use watch::Watch;

pub(super) const BATCH_VALUE: &str = "batch_value";

/// First-order method, an argmin [`Solver`] of any [`StochasticObjective`].
///
/// An iteration is a step by the [`UpdateRule`] and a new batch.
///
/// - Failed or non-finite evaluations halve the step; at the start, an [`OptimError`].
/// - Whole batches without drift: the best point is the lowest. Otherwise the last; cost is infinite,
///   observers get `batch_value`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Descent<R> {
    rule: R,
    batches: Batches,
    options: DescentOptions,
    stages: Stages,
    watch: Watch,
    settled: Settled,
    retry: Option<Vec<f64>>,
    evaluations: u64,
    failures: u64,
    failures_in_a_row: u64,
    last_failure: Option<String>,
    stop: Option<StopReason>,
}

impl<R: UpdateRule> Descent<R> {
    /// Solver with default options.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`].
    pub fn new(rule: R, batches: Batches) -> Result<Self, OptimError> {
        Self::with_options(rule, batches, DescentOptions::default())
    }

    /// Solver with these options.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`].
    pub fn with_options(rule: R, batches: Batches, options: DescentOptions) -> Result<Self, OptimError> {
        options.validate()?;
        if let Some((name, value, allowed)) = rule.invalid_setting() {
            return Err(OptimError::InvalidOption { name, value, allowed });
        }
        Ok(Self {
            rule,
            batches,
            options,
            stages: Stages::default(),
            watch: Watch::default(),
            settled: Settled::default(),
            retry: None,
            evaluations: 0,
            failures: 0,
            failures_in_a_row: 0,
            last_failure: None,
            stop: None,
        })
    }

    /// Sets stages of learning rates.
    #[must_use]
    pub fn stages(mut self, stages: Vec<RateStage>) -> Self {
        self.stages = Stages::new(stages, None);
        self
    }

    /// Repeats the stages until a round changes the mean of an epoch by at most `tolerance`, which must exceed batch
    /// noise.
    ///
    /// See [`Groups::alternating`](super::Groups::alternating).
    #[must_use]
    pub fn rounds(mut self, stages: Vec<RateStage>, tolerance: f64) -> Self {
        self.stages = Stages::new(stages, Some(tolerance));
        self
    }

    /// Batches, at the current position.
    #[must_use]
    pub fn batches(&self) -> &Batches {
        &self.batches
    }

    /// Evaluated batches, failures included.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Failed or non-finite evaluations.
    #[must_use]
    pub fn failed_evaluations(&self) -> u64 {
        self.failures
    }

    /// Last failure's message.
    #[must_use]
    pub fn last_failure(&self) -> Option<&str> {
        self.last_failure.as_deref()
    }

    /// Mean of the last full epoch.
    #[must_use]
    pub fn epoch_value(&self) -> Option<f64> {
        self.watch.epoch_value()
    }

    /// Mean per epoch, or of an incomplete first epoch.
    #[must_use]
    pub fn epoch_values(&self) -> Vec<f64> {
        self.watch.course()
    }

    /// Solver's own reason to stop.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.stop.as_ref()
    }

    /// `gradient` is invalid after failures.
    fn evaluate<O: StochasticObjective>(
        &mut self,
        problem: &mut Problem<O>,
        x: &[f64],
        finite: bool,
        gradient: &mut Vec<f64>,
    ) -> Result<f64, BadEvaluation> {
        // Unwritten entries must not look like derivatives.
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

    /// `true` if `next` is finite.
    fn step(&mut self, here: &[f64], gradient: &[f64], next: &mut Vec<f64>) -> bool {
        if let Some(point) = self.retry.take() {
            *next = point;
            return all_finite(next);
        }
        next.resize(here.len(), 0.0);
        self.rule.step(gradient, next);
        if let Some(rates) = self.stages.rates() {
            next.iter_mut().zip(rates).for_each(|(change, rate)| *change *= rate);
        }
        add_to(next, here)
    }

    #[expect(clippy::cast_precision_loss, reason = "no table has 2⁵³ rows")]
    fn accept(&mut self, x: &[f64], value: f64, gradient: &[f64]) {
        self.failures_in_a_row = 0;
        let terms = self.batches.last_len() as f64;
        self.watch.batch(value, terms);
        self.watch_course(Some((value, terms)));
        // With drift, a small gradient is no convergence.
        if self.batches.are_whole() && !self.options.drifting && self.is_small(x, value, gradient) {
            self.end_stage(StopReason::SmallGradient);
        }
    }

    fn is_small(&self, x: &[f64], value: f64, gradient: &[f64]) -> bool {
        let limit = self.options.gradient_tolerance * value.abs().max(1.0);
        let rates = self.stages.rates();
        let moves = |i: usize| rates.is_none_or(|rates| rates.get(i).is_none_or(|&rate| rate > 0.0));
        let mut entries = gradient.iter().zip(x).enumerate();
        entries.all(|(i, (g, x))| g.abs() * x.abs().max(1.0) <= limit || !moves(i))
    }

    fn back_off(&mut self, here: &[f64], mut failed: Vec<f64>, bad: &BadEvaluation) {
        self.failures += 1;
        self.failures_in_a_row += 1;
        self.last_failure = Some(bad.to_string());
        self.rule.damp();
        for (x, here) in failed.iter_mut().zip(here) {
            let change = *x - here;
            *x = if change.is_finite() { here + 0.5 * change } else { *here };
        }
        self.retry = Some(failed);
        self.watch_course(None);
        if self.failures_in_a_row >= self.options.max_failures {
            self.stop = Some(StopReason::Blocked);
        }
    }

    fn watch_course(&mut self, found: Option<(f64, f64)>) {
        let (tolerance, plateau) = (self.options.value_tolerance, self.options.plateau);
        if !self.batches.are_whole() {
            self.settled.batch(found);
            if self.settled.idle(self.batches.per_epoch() as u64, tolerance) >= plateau {
                self.end_stage(StopReason::WithinNoise);
            }
        }
        if !self.batches.ends_epoch() {
            return;
        }
        self.watch.close_epoch(tolerance);
        let idle = self.batches.are_whole() && self.watch.idle() >= plateau;
        if self.stages.count_epoch() || idle {
            self.end_stage(StopReason::Plateau);
        }
    }

    fn end_stage(&mut self, reason: StopReason) {
        self.watch.forget_idle();
        self.settled.forget();
        if self.stages.advance(self.watch.epoch_value()) {
            // A stage's reason does not hold for other stages.
            let reason = if self.stages.are_rounds() { StopReason::Plateau } else { reason };
            self.stop.get_or_insert(reason);
        }
    }

    /// Estimates go to observers only.
    fn report(&self, mut state: DescentState, value: f64) -> (DescentState, Option<KV>) {
        if self.batches.are_whole() && !self.options.drifting {
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
        self.stages.validate(x.len())
    }
}

fn does_not_fit() -> OptimError {
    let message = "parameters, gradient and memory are of different lengths".to_owned();
    OptimError::BrokenOff { message }
}

impl<O: StochasticObjective, R: UpdateRule> Solver<O, DescentState> for Descent<R> {
    fn name(&self) -> &str {
        self.rule.name()
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        mut state: DescentState,
    ) -> Result<(DescentState, Option<KV>), Error> {
        let x = state.take_param().unwrap_or_default();
        self.check_start(&x)?;
        let mut gradient = Vec::new();
        let value = self.evaluate(problem, &x, true, &mut gradient).map_err(OptimError::Start)?;
        self.accept(&x, value, &gradient);
        Ok(self.report(state.param(x).gradient(gradient), value))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        mut state: DescentState,
    ) -> Result<(DescentState, Option<KV>), Error> {
        let here = state.param.as_deref().unwrap_or_default();
        let mut gradient = state.grad.take().unwrap_or_default();
        let learns_from = self.retry.as_ref().unwrap_or(&gradient).len();
        let rule_fits = self.rule.parameters().is_none_or(|n| n == here.len());
        if here.is_empty() || learns_from != here.len() || !rule_fits {
            return Err(does_not_fit().into());
        }
        // Reuses memory of previous points, except of the best.
        let spare = [state.prev_param.take(), state.prev_best_param.take()];
        let mut x = spare.into_iter().flatten().find_map(Point::into_unshared).unwrap_or_default();
        let finite = self.step(here, &gradient, &mut x);
        // The last gradient is no longer needed.
        match self.evaluate(problem, &x, finite, &mut gradient) {
            Ok(value) => {
                self.accept(&x, value, &gradient);
                Ok(self.report(state.param(x.into()).gradient(gradient), value))
            }
            Err(bad) => {
                self.back_off(here, x, &bad);
                Ok((state, None))
            }
        }
    }

    fn terminate(&mut self, _state: &DescentState) -> TerminationStatus {
        StopReason::status(self.stop.as_ref())
    }
}
