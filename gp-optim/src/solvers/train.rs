//! Training: the parameters of a model at which data and priors agree best.

use super::batches::{Batch, Batches};
use super::descent::{Descended, Descent, DescentOptions, UpdateRule, descend};
use super::error::OptimError;
use super::history::{History, Record};
use super::minimise::{MinimiseOptions, Minimum, minimise_with};
use super::stop::StopReason;
use crate::error::ParameterError;
use crate::parameter_set::ParameterSetMut;
use argmin::core::observers::ObserverMode;
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingStep {
    /// Iterations done: 0 at the start.
    pub iteration: u64,
    /// `ln p(y) + ln p(parameters)`
    pub log_posterior: f64,
    /// Largest magnitude in its gradient by the unconstrained parameters.
    pub gradient_norm: f64,
}

/// How training went. Where `ln p(y)` is an approximation or a bound, it is that of the model in hand.
#[derive(Clone, Debug, PartialEq)]
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

/// Moves the free parameters of a model to a maximum of `ln p(y) + ln p(parameters)` by L-BFGS, the density of priors
/// being that of the natural values.
///
/// `evaluate` gives `ln p(y)` of the model it is shown, without priors, and its gradient by all natural values over the
/// slice; `progress` is called after every evaluation that succeeds.
///
/// # Errors
/// [`OptimError`] when the start cannot be evaluated (with the reason) or an option is out of range. The model
/// is then as it was. Evaluations that fail later are stepped back from and counted.
pub fn train<M: ParameterSetMut + Clone, E: TrainingError>(
    model: &mut M,
    options: &MinimiseOptions,
    mut evaluate: impl FnMut(&M, &mut [f64]) -> Result<f64, E>,
    mut progress: impl FnMut(TrainingProgress),
) -> Result<Training, E> {
    let mut density = LogPosterior::new(model);
    if model.free_count() == 0 {
        return Ok(Training::of_nothing(density.at(model, &mut evaluate, &mut [])?, model.log_prior()));
    }
    let mut start = vec![0.0; model.free_count()];
    model.write_free(&mut start)?;
    let mut trial = model.clone();
    let negative = |x: &[f64], gradient: &mut [f64]| -> Result<f64, E> {
        trial.set_free(x)?;
        let log_posterior = density.at(&trial, &mut evaluate, gradient)?;
        gradient.iter_mut().for_each(|g| *g = -*g);
        progress(TrainingProgress { evaluation: density.evaluations, log_posterior });
        Ok(-log_posterior)
    };
    let history = History::new();
    let minimum = minimise_with(negative, &start, options, |run| {
        run.add_observer(history.clone(), ObserverMode::Always)
    })?;
    model.set_free(&minimum.x)?;
    Ok(Training::new(minimum, &history.records(), model.log_prior()))
}

/// Moves the free parameters of a model towards a maximum of `ln p(y) + ln p(parameters)` by a first-order method.
///
/// `evaluate` gives an estimate of `ln p(y)` of the model it is shown from one batch, without priors, and its gradient
/// by all natural values over the slice; `progress` is called after every evaluation that succeeds. A model of which
/// nothing is free is evaluated once for every step all the same: evaluations may do more than evaluate.
///
/// # Errors
/// [`OptimError`] when the start cannot be evaluated or an option is out of range; the model is then as it was.
/// Evaluations that fail later are stepped back from and counted.
pub fn train_by_descent<M: ParameterSetMut + Clone, R: UpdateRule, E: TrainingError>(
    model: &mut M,
    (batches, rule, options): (Batches, R, DescentOptions),
    steps: u64,
    mut evaluate: impl FnMut(&M, Batch<'_>, &mut [f64]) -> Result<f64, E>,
    mut progress: impl FnMut(TrainingProgress),
) -> Result<Descended, E> {
    let mut density = LogPosterior::new(model);
    // A solver wants a number to move; one that nothing depends on does for a model without free ones.
    let mut start = vec![0.0; model.free_count().max(1)];
    let free = model.free_count();
    model.write_free(&mut start[..free])?;
    let mut trial = model.clone();
    let negative = |x: &[f64], batch: Batch<'_>, gradient: &mut [f64]| -> Result<f64, E> {
        trial.set_free(&x[..free])?;
        gradient.fill(0.0);
        let batched = |model: &M, natural: &mut [f64]| evaluate(model, batch, natural);
        let log_posterior = density.at(&trial, batched, &mut gradient[..free])?;
        gradient.iter_mut().for_each(|g| *g = -*g);
        progress(TrainingProgress { evaluation: density.evaluations, log_posterior });
        Ok(-log_posterior)
    };
    let run = descend(negative, &start, Descent::with_options(rule, batches, options)?, steps)?;
    model.set_free(&run.x[..free])?;
    Ok(run)
}

/// The log posterior density and its gradient, in memory that lasts from one evaluation to the next.
struct LogPosterior {
    natural: Vec<f64>,
    evaluations: u64,
}

impl LogPosterior {
    fn new(model: &impl ParameterSetMut) -> Self {
        Self { natural: vec![0.0; model.parameter_count()], evaluations: 0 }
    }

    /// The value, and over `gradient` the derivatives by the unconstrained free parameters.
    fn at<M: ParameterSetMut, E: TrainingError>(
        &mut self,
        model: &M,
        mut evaluate: impl FnMut(&M, &mut [f64]) -> Result<f64, E>,
        gradient: &mut [f64],
    ) -> Result<f64, E> {
        self.evaluations += 1;
        let natural = &mut self.natural;
        let value = evaluate(model, natural)?;
        model.add_log_prior_gradient(natural)?;
        model.chain_gradient(natural, gradient)?;
        Ok(value + model.log_prior())
    }
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
