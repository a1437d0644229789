//! Training of a model's parameters.

mod posterior;

use super::batches::{Batch, Batches};
use super::cached::own_memory;
use super::companion::Companion;
use super::control::Control;
use super::descent::{Descended, Descent, DescentOptions, RateStage, UpdateRule, descend_with};
use super::error::OptimError;
use super::history::{History, Record};
use super::minimise::{MinimiseOptions, Minimum, minimise_recording};
use super::stop::StopReason;
use crate::error::ParameterError;
use crate::parameter_set::ParameterSetMut;
use posterior::{Best, InBatches, LogPosterior};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Evaluation error, from parameters and solvers too.
pub trait TrainingError: fmt::Display + From<ParameterError> + From<OptimError> {}

impl<E: fmt::Display + From<ParameterError> + From<OptimError>> TrainingError for E {}

/// One evaluation during training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingProgress {
    /// Evaluations so far, this included.
    pub evaluation: u64,
    /// `ln p(y) + ln p(parameters)`, not always the best.
    pub log_posterior: f64,
}

/// One iteration of training.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingStep {
    /// Number of iterations, 0 at the start.
    pub iteration: u64,
    /// `ln p(y) + ln p(parameters)`
    pub log_posterior: f64,
    /// Largest absolute gradient entry, unconstrained.
    pub gradient_norm: f64,
}

/// Result; `ln p(y)` may be approximate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// `ln p(y) + ln p(parameters)` at the start.
    pub start_log_posterior: f64,
    /// `ln p(y) + ln p(parameters)` at the end, the largest.
    pub log_posterior: f64,
    /// `ln p(y)` at the end.
    pub log_marginal_likelihood: f64,
    /// Number of iterations.
    pub iterations: u64,
    /// Evaluations, failures included.
    pub evaluations: u64,
    /// Failed or non-finite evaluations.
    pub failed_evaluations: u64,
    /// Last failure's message.
    pub last_failure: Option<String>,
    /// True if converged within tolerances.
    pub converged: bool,
    /// Reason to stop.
    pub reason: StopReason,
    /// All iterations.
    pub history: Vec<TrainingStep>,
}

/// Settings of first-order training.
#[derive(Clone, Debug)]
pub struct DescentPlan<R> {
    /// Schedule of batches.
    pub batches: Batches,
    /// Update rule.
    pub rule: R,
    /// Stopping criteria and drift.
    pub options: DescentOptions,
    /// Step limit.
    pub steps: u64,
    /// True to [reduce](super::RateStage::cooling) learning rates.
    pub cools: bool,
    /// Time limit, interrupt and checkpoint.
    pub control: Control,
}

/// Maximises `ln p(y) + ln p(parameters)` over free parameters by L-BFGS.
///
/// `evaluate` depends on the model only: returns `ln p(y)`, writes its gradient by all natural values,
/// without priors. `watch` sees successes.
///
/// # Errors
/// [`OptimError`], with the model unchanged.
pub fn train<M: ParameterSetMut + Clone, E: TrainingError>(
    model: &mut M,
    options: &MinimiseOptions,
    mut evaluate: impl FnMut(&M, &mut [f64]) -> Result<f64, E>,
    mut watch: impl FnMut(&M, TrainingProgress),
) -> Result<Training, E> {
    let alone = |model: &M, (): &mut (), gradient: &mut [f64]| evaluate(model, gradient);
    train_with_companion(model, &mut (), options, alone, |model, (), progress| watch(model, progress))
}

/// [`train`] with a companion. After an end by a time limit or an interrupt, the companion returns to its state
/// at the best evaluation: the last one may have been cut short.
///
/// # Errors
/// As [`train`]; the companion may have changed.
pub fn train_with_companion<M: ParameterSetMut + Clone, C: Companion, E: TrainingError>(
    model: &mut M,
    companion: &mut C,
    options: &MinimiseOptions,
    mut evaluate: impl FnMut(&M, &mut C, &mut [f64]) -> Result<f64, E>,
    watch: impl FnMut(&M, &C, TrainingProgress),
) -> Result<Training, E> {
    if model.free_count() == 0 {
        let mut natural = vec![0.0; model.parameter_count()];
        let log_posterior = evaluate(model, companion, &mut natural)? + model.log_prior();
        return Ok(Training::of_nothing(log_posterior, model.log_prior()));
    }
    let mut start = vec![0.0; model.free_count()];
    model.write_free(&mut start)?;
    let options = MinimiseOptions { control: options.control.about(C::KIND), ..options.clone() };
    let history = History::new();
    let mut best = Best::new();
    let posterior = LogPosterior::new(model.clone(), companion, evaluate, watch).with_best(&mut best);
    let minimum = minimise_recording(posterior, &start, &options, &history)?;
    model.set_free(&minimum.x)?;
    if let Some(memory) = best.into_memory().filter(|_| minimum.reason.is_early()) {
        companion.recall(memory).map_err(|message| OptimError::BrokenOff { message })?;
    }
    Ok(Training::new(minimum, &history.records(), model.log_prior()))
}

/// Companion's state in the checkpoint.
///
/// # Errors
/// [`OptimError::Checkpoint`].
pub fn companion_memory<C: Companion>(control: &Control) -> Result<Option<C::Memory>, OptimError> {
    let control = control.about(C::KIND);
    let Some(file) = control.resumes_from() else { return Ok(None) };
    let Some(memory) = file.memory(control.team())? else { return Ok(None) };
    let decoded = own_memory(&memory).and_then(|own| posterior::decode::<C>(&own));
    Ok(Some(decoded.map_err(|what| file.unfit(what))?.1))
}

/// Maximises `ln p(y) + ln p(parameters)` over free parameters by a first-order method.
///
/// `evaluate` estimates `ln p(y)`, writes its gradient by all natural values, without priors, and may change the
/// companion. Models without free parameters are evaluated too.
///
/// # Errors
/// As [`train`]; the companion may have changed.
pub fn train_by_descent<M: ParameterSetMut + Clone, C: Companion, R: UpdateRule, E: TrainingError>(
    model: &mut M,
    companion: &mut C,
    plan: DescentPlan<R>,
    evaluate: impl FnMut(&M, &mut C, Batch<'_>, &mut [f64]) -> Result<f64, E>,
    watch: impl FnMut(&M, &C, TrainingProgress),
) -> Result<Descended, E> {
    let free = model.free_count();
    // A solver needs a number: one that nothing depends on.
    let mut start = vec![0.0; free.max(1)];
    model.write_free(&mut start[..free])?;
    let epochs = plan.steps / plan.batches.per_epoch() as u64;
    let mut solver = Descent::with_options(plan.rule, plan.batches, plan.options)?;
    if plan.cools {
        solver = solver.stages(RateStage::cooling(epochs, start.len()));
    }
    let control = plan.control.about(C::KIND);
    let posterior = InBatches(LogPosterior::new(model.clone(), companion, evaluate, watch));
    let run = descend_with(posterior, &start, solver, plan.steps, &control, |run| run)?;
    model.set_free(&run.x[..free])?;
    Ok(run)
}

impl Training {
    fn new(minimum: Minimum, records: &[Record], log_prior: f64) -> Self {
        let step = |record: &Record| TrainingStep {
            iteration: record.iteration,
            log_posterior: -record.value,
            gradient_norm: record.gradient_norm,
        };
        let history: Vec<TrainingStep> = records.iter().map(step).collect();
        let log_posterior = -minimum.value;
        Self {
            start_log_posterior: history.first().map_or(log_posterior, |first| first.log_posterior),
            log_posterior,
            log_marginal_likelihood: log_posterior - log_prior,
            iterations: minimum.iterations,
            evaluations: minimum.evaluations,
            failed_evaluations: minimum.failed_evaluations,
            last_failure: minimum.last_failure,
            converged: minimum.converged,
            reason: minimum.reason,
            history,
        }
    }

    fn of_nothing(log_posterior: f64, log_prior: f64) -> Self {
        Self {
            start_log_posterior: log_posterior,
            log_posterior,
            log_marginal_likelihood: log_posterior - log_prior,
            iterations: 0,
            evaluations: 1,
            failed_evaluations: 0,
            last_failure: None,
            converged: true,
            reason: StopReason::Other("no parameter is free".to_owned()),
            history: vec![TrainingStep { iteration: 0, log_posterior, gradient_norm: 0.0 }],
        }
    }
}
