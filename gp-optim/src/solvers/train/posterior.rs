//! Negative log posterior of a model, as an objective.

use super::{TrainingError, TrainingProgress};
use crate::objective::Objective;
use crate::parameter_set::ParameterSetMut;
use crate::solvers::{Batch, Companion};
use crate::stochastic::StochasticObjective;
use std::marker::PhantomData;

/// Companion at the evaluation with the highest log posterior.
pub(super) struct Best<T>(Option<(f64, T)>);

/// `−ln p(y) − ln p(parameters)` by free parameters.
pub(super) struct LogPosterior<'a, M, C: Companion, F, P, E> {
    trial: M,
    companion: &'a mut C,
    evaluate: F,
    watch: P,
    natural: Vec<f64>,
    evaluations: u64,
    best: Option<&'a mut Best<C::Memory>>,
    fails_with: PhantomData<E>,
}

pub(super) fn decode<C: Companion>(memory: &[u8]) -> Result<(u64, C::Memory), String> {
    postcard::from_bytes(memory).map_err(|error| error.to_string())
}

pub(super) struct InBatches<T>(pub(super) T);

impl<'a, M: ParameterSetMut, C: Companion, F, P: FnMut(&M, &C, TrainingProgress), E: TrainingError>
    LogPosterior<'a, M, C, F, P, E>
{
    pub(super) fn new(trial: M, companion: &'a mut C, evaluate: F, watch: P) -> Self {
        let natural = vec![0.0; trial.parameter_count()];
        let fails_with = PhantomData;
        Self { trial, companion, evaluate, watch, natural, evaluations: 0, best: None, fails_with }
    }

    pub(super) fn with_best(self, best: &'a mut Best<C::Memory>) -> Self {
        Self { best: Some(best), ..self }
    }

    /// Gradient by free parameters, then zeros.
    fn negative(
        &mut self,
        x: &[f64],
        gradient: &mut [f64],
        evaluate: impl FnOnce(&mut F, &M, &mut C, &mut [f64]) -> Result<f64, E>,
    ) -> Result<f64, E> {
        let free = self.trial.free_count();
        self.trial.set_free(&x[..free])?;
        self.evaluations += 1;
        let value = evaluate(&mut self.evaluate, &self.trial, self.companion, &mut self.natural)?;
        self.trial.add_log_prior_gradient(&mut self.natural)?;
        gradient[free..].fill(0.0);
        self.trial.chain_gradient(&self.natural, &mut gradient[..free])?;
        gradient.iter_mut().for_each(|g| *g = -*g);
        let log_posterior = value + self.trial.log_prior();
        if let Some(best) = &mut self.best {
            best.keep(log_posterior, || self.companion.memory());
        }
        let progress = TrainingProgress { evaluation: self.evaluations, log_posterior };
        (self.watch)(&self.trial, &*self.companion, progress);
        Ok(-log_posterior)
    }

    fn remember(&self) -> Result<Vec<u8>, String> {
        let memory = (self.evaluations, self.companion.memory());
        postcard::to_stdvec(&memory).map_err(|error| error.to_string())
    }

    fn take_up(&mut self, memory: &[u8]) -> Result<(), String> {
        let (evaluations, memory) = decode::<C>(memory)?;
        self.evaluations = evaluations;
        self.companion.recall(memory)
    }
}

impl<T> Best<T> {
    pub(super) fn new() -> Self {
        Self(None)
    }

    fn keep(&mut self, log_posterior: f64, memory: impl FnOnce() -> T) {
        if self.0.as_ref().is_none_or(|(best, _)| log_posterior > *best) {
            self.0 = Some((log_posterior, memory()));
        }
    }

    pub(super) fn into_memory(self) -> Option<T> {
        self.0.map(|(_, memory)| memory)
    }
}

impl<M, C, F, P, E> Objective for LogPosterior<'_, M, C, F, P, E>
where
    M: ParameterSetMut,
    C: Companion,
    F: FnMut(&M, &mut C, &mut [f64]) -> Result<f64, E>,
    P: FnMut(&M, &C, TrainingProgress),
    E: TrainingError,
{
    type Error = E;

    fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64, E> {
        self.negative(x, gradient, |evaluate, model, companion, natural| evaluate(model, companion, natural))
    }

    fn memory(&self) -> Result<Vec<u8>, String> {
        self.remember()
    }

    fn recall(&mut self, memory: &[u8]) -> Result<(), String> {
        self.take_up(memory)
    }
}

impl<M, C, F, P, E> StochasticObjective for InBatches<LogPosterior<'_, M, C, F, P, E>>
where
    M: ParameterSetMut,
    C: Companion,
    F: FnMut(&M, &mut C, Batch<'_>, &mut [f64]) -> Result<f64, E>,
    P: FnMut(&M, &C, TrainingProgress),
    E: TrainingError,
{
    type Error = E;

    fn evaluate_batch(&mut self, x: &[f64], batch: Batch<'_>, gradient: &mut [f64]) -> Result<f64, E> {
        let of_batch = |evaluate: &mut F, model: &M, companion: &mut C, natural: &mut [f64]| {
            evaluate(model, companion, batch, natural)
        };
        self.0.negative(x, gradient, of_batch)
    }

    fn memory(&self) -> Result<Vec<u8>, String> {
        self.0.remember()
    }

    fn recall(&mut self, memory: &[u8]) -> Result<(), String> {
        self.0.take_up(memory)
    }
}
