//! Training: the parameters of a model at which data and priors agree best.

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
use posterior::{InBatches, LogPosterior};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What keeps a model from being evaluated, and what can keep a solver from its work.
pub trait TrainingError: fmt::Display + From<ParameterError> + From<OptimError> {}

impl<E: fmt::Display + From<ParameterError> + From<OptimError>> TrainingError for E {}

/// One evaluation during training, as it happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingProgress {
    /// Evaluations so far, this one included.
    pub evaluation: u64,
    /// `ln p(y) + ln p(parameters)` there; it need not be the best so far.
    pub log_posterior: f64,
}

/// Where training stood after one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainingStep {
    /// Iterations done: 0 at the start.
    pub iteration: u64,
    /// `ln p(y) + ln p(parameters)`
    pub log_posterior: f64,
    /// Largest magnitude in its gradient by the unconstrained parameters.
    pub gradient_norm: f64,
}

/// How training went. Where `ln p(y)` is an approximation or a bound, it is that of the model in hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Training {
    /// `ln p(y) + ln p(parameters)` at the start.
    pub start_log_posterior: f64,
    /// The same at the end: the largest value seen.
    pub log_posterior: f64,
    /// `ln p(y)` at the end.
    pub log_marginal_likelihood: f64,
    /// Iterations done.
    pub iterations: u64,
    /// Evaluations of value and gradient, failed ones included.
    pub evaluations: u64,
    /// Evaluations that failed, each stepped back from.
    pub failed_evaluations: u64,
    /// What the last of them had to say.
    pub last_failure: Option<String>,
    /// Whether the end is a maximum as far as the tolerances tell.
    pub converged: bool,
    /// Why it ended.
    pub reason: StopReason,
    /// The course, one entry per iteration.
    pub history: Vec<TrainingStep>,
}

/// How a first-order method goes about training.
#[derive(Clone, Debug)]
pub struct DescentPlan<R> {
    /// Which observations come next.
    pub batches: Batches,
    /// The method.
    pub rule: R,
    /// When it stops of its own accord.
    pub options: DescentOptions,
    /// Steps that it may take.
    pub steps: u64,
    /// Whether they become [shorter](super::RateStage::cooling) towards the end.
    pub cools: bool,
    /// Who may end it before, and the file from which it goes on.
    pub control: Control,
}

/// Moves the free parameters of a model to a maximum of `ln p(y) + ln p(parameters)` by L-BFGS, the density of priors
/// being that of the natural values.
///
/// `evaluate` gives `ln p(y)` of the model it is shown, without priors, and its gradient by all natural values over the
/// slice, and depends on nothing else; `watch` is called after every evaluation that succeeds.
///
/// # Errors
/// [`OptimError`] when the start cannot be evaluated (with the reason) or an option is out of range, and when the run is
/// [interrupted](OptimError::Interrupted) or its checkpoint is at fault. The model is then as it was. Evaluations that
/// fail later are stepped back from and counted.
pub fn train<M: ParameterSetMut + Clone, E: TrainingError>(
    model: &mut M,
    options: &MinimiseOptions,
    mut evaluate: impl FnMut(&M, &mut [f64]) -> Result<f64, E>,
    mut watch: impl FnMut(&M, TrainingProgress),
) -> Result<Training, E> {
    let alone = |model: &M, (): &mut (), gradient: &mut [f64]| evaluate(model, gradient);
    train_beside(model, &mut (), options, alone, |model, (), progress| watch(model, progress))
}

/// [`train`] with a companion that evaluations depend on and change.
///
/// # Errors
/// As [`train`]. The companion may then be anything.
pub fn train_beside<M: ParameterSetMut + Clone, C: Companion, E: TrainingError>(
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
    let posterior = LogPosterior::new(model.clone(), companion, evaluate, watch);
    let minimum = minimise_recording(posterior, &start, &options, &history)?;
    model.set_free(&minimum.x)?;
    Ok(Training::new(minimum, &history.records(), model.log_prior()))
}

/// What the companion of [`train_beside`] was when the checkpoint of `control` was written; nothing if there is none to
/// go on from. For training in several runs, which has to know how far it was before it can begin one.
///
/// # Errors
/// [`OptimError::Checkpoint`] for a file that is damaged or belongs to another run.
pub fn companion_memory<C: Companion>(control: &Control) -> Result<Option<C::Memory>, OptimError> {
    let control = control.about(C::KIND);
    let Some(file) = control.resumes_from() else { return Ok(None) };
    let Some(memory) = file.memory()? else { return Ok(None) };
    let decoded = own_memory(&memory).and_then(|own| posterior::decode::<C>(&own));
    Ok(Some(decoded.map_err(|what| file.unfit(what))?.1))
}

/// Moves the free parameters of a model towards a maximum of `ln p(y) + ln p(parameters)` by a first-order method.
///
/// `evaluate` gives an estimate of `ln p(y)` of the model it is shown from one batch, without priors, and its gradient
/// by all natural values over the slice; besides these it may depend on the companion, and change it. `watch` is
/// called after every evaluation that succeeds. A model of which nothing is free is evaluated once for every step all the
/// same: evaluations may do more than evaluate.
///
/// # Errors
/// [`OptimError`] when the start cannot be evaluated or an option is out of range, and when the run is
/// [interrupted](OptimError::Interrupted) or its checkpoint is at fault; the model is then as it was, and the companion
/// may be anything. Evaluations that fail later are stepped back from and counted.
pub fn train_by_descent<M: ParameterSetMut + Clone, C: Companion, R: UpdateRule, E: TrainingError>(
    model: &mut M,
    companion: &mut C,
    plan: DescentPlan<R>,
    evaluate: impl FnMut(&M, &mut C, Batch<'_>, &mut [f64]) -> Result<f64, E>,
    watch: impl FnMut(&M, &C, TrainingProgress),
) -> Result<Descended, E> {
    let free = model.free_count();
    // A solver wants a number to move; one that nothing depends on does for a model without free ones.
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

    /// A model whose parameters are all fixed is trained as it stands.
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
