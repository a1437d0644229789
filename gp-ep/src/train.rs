//! Training: the parameters at which data and priors agree best.

use crate::error::EpError;
use gp_optim::argmin::core::observers::ObserverMode;
use gp_optim::{History, MinimiseOptions, Minimum, ParameterSetMut, Record, StopReason, minimise_with};

/// One evaluation during training, as it happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Evaluations so far, this one included.
    pub evaluation: u64,
    /// `ln p(y) + ln p(parameters)` there; it need not be the best so far.
    pub log_posterior: f64,
}

/// Where training stood after one iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
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
    pub history: Vec<Step>,
}

/// Moves the free parameters of a model to a maximum of `ln p(y) + ln p(parameters)` by L-BFGS, the density of priors
/// being that of the natural values.
///
/// `evaluate` gives `ln p(y)` of the model it is shown, without priors, and its gradient by all natural values over the
/// slice; `progress` is called after every evaluation that succeeds.
///
/// # Errors
/// [`EpError::Optim`] when the start cannot be evaluated (with the reason) or an option is out of range. The model
/// is then as it was. Evaluations that fail later are stepped back from and counted.
pub fn train<M: ParameterSetMut + Clone>(
    model: &mut M,
    options: &MinimiseOptions,
    evaluate: impl FnMut(&M, &mut [f64]) -> Result<f64, EpError>,
    mut progress: impl FnMut(Progress),
) -> Result<Training, EpError> {
    let mut objective = Objective { evaluate, natural: vec![0.0; model.parameter_count()], evaluations: 0 };
    if model.free_count() == 0 {
        return Ok(Training::of_nothing(objective.at(model, &mut [])?, model.log_prior()));
    }
    let mut start = vec![0.0; model.free_count()];
    model.write_free(&mut start)?;
    let mut trial = model.clone();
    let negative = |x: &[f64], gradient: &mut [f64]| -> Result<f64, EpError> {
        trial.set_free(x)?;
        let log_posterior = objective.at(&trial, gradient)?;
        gradient.iter_mut().for_each(|g| *g = -*g);
        progress(Progress { evaluation: objective.evaluations, log_posterior });
        Ok(-log_posterior)
    };
    let history = History::new();
    let minimum = minimise_with(negative, &start, options, |run| {
        run.add_observer(history.clone(), ObserverMode::Always)
    })?;
    model.set_free(&minimum.x)?;
    Ok(Training::new(minimum, &history.records(), model.log_prior()))
}

/// The log posterior density and its gradient, in memory that lasts from one evaluation to the next.
struct Objective<E> {
    evaluate: E,
    natural: Vec<f64>,
    evaluations: u64,
}

impl<E> Objective<E> {
    /// The value, and over `gradient` the derivatives by the unconstrained free parameters.
    fn at<M: ParameterSetMut>(&mut self, model: &M, gradient: &mut [f64]) -> Result<f64, EpError>
    where
        E: FnMut(&M, &mut [f64]) -> Result<f64, EpError>,
    {
        self.evaluations += 1;
        let natural = &mut self.natural;
        let value = (self.evaluate)(model, natural)?;
        model.add_log_prior_gradient(natural)?;
        model.chain_gradient(natural, gradient)?;
        Ok(value + model.log_prior())
    }
}

impl Training {
    fn new(minimum: Minimum, records: &[Record], log_prior: f64) -> Self {
        let step = |record: &Record| Step {
            iteration: record.iteration,
            log_posterior: -record.value,
            gradient_norm: record.gradient_norm,
        };
        let history: Vec<Step> = records.iter().map(step).collect();
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
            history: vec![Step { iteration: 0, log_posterior, gradient_norm: 0.0 }],
        }
    }
}
