//! Learning parameters: active sets anew ("major"), then L-BFGS with the active set as it is ("minor"), in rounds
//! (seed 002 §5).

use super::model::Ivm;
use super::options::IvmOptions;
use super::run::IvmRun;
use crate::error::EpError;
use crate::exact::Observations;

use gp_optim::{MinimiseOptions, ParameterSet, Training, train};

/// One active set, and what was learned with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Criterion less log priors, with the new active set, before any parameter moved.
    pub criterion: f64,
    /// Rows of the active set of the first latent that were also in that of the round before, as a share.
    pub kept: f64,
    /// The parameters' course with that active set; its log marginal likelihoods are minus the criterion. Nothing in the
    /// last round, which only looks at what the ones before have come to.
    pub training: Option<Training>,
}

/// What training came to.
#[derive(Clone, Debug)]
pub struct IvmTraining {
    /// The run at the parameters the model has been left with, those with the least criterion of any active set made for
    /// its own parameters.
    pub run: IvmRun,
    /// Criterion less log priors of that run.
    pub criterion: f64,
    /// All rounds; one more than active sets were learned with.
    pub rounds: Vec<Round>,
}

impl Ivm {
    /// Moves the free parameters towards a minimum of the criterion less log priors: `rounds` times an active set is
    /// chosen at the present parameters and they are moved by at most `minor.max_iterations` iterations of L-BFGS with
    /// its sites as they are.
    ///
    /// The criterion may rise when the active set is chosen anew, which depends on the parameters in a way that has no
    /// derivative; so the end is the best of the starts of all rounds and of what the last one came to.
    ///
    /// # Errors
    /// As [`build`](Self::build) and [`criterion`](Self::criterion) for the first round, and [`EpError::Optim`]. The
    /// model is then as it was. A later active set that cannot be made ends training at the best one so far.
    pub fn train(
        &mut self,
        data: &Observations<'_>,
        options: &IvmOptions,
        rounds: usize,
        minor: &MinimiseOptions,
    ) -> Result<IvmTraining, EpError> {
        let mut trial = self.clone();
        let mut best: Option<(Self, IvmRun, f64)> = None;
        let mut history = Vec::new();
        let mut before: Vec<usize> = Vec::new();
        for round in 0..=rounds {
            let found = trial.major(data, options);
            let (run, criterion) = match (found, &best) {
                (Err(fault), None) => return Err(fault),
                (Err(_), Some(_)) => break,
                (Ok(found), _) => found,
            };
            let rows = run.posterior.active(0).to_vec();
            let shared = rows.iter().filter(|row| before.contains(row)).count();
            let kept = shared as f64 / rows.len().max(1) as f64;
            before = rows;
            if best.as_ref().is_none_or(|(_, _, least)| criterion < *least) {
                best = Some((trial.clone(), run.clone(), criterion));
            }
            let training = if round < rounds { Some(trial.minor(data, &run, minor)?) } else { None };
            history.push(Round { criterion, kept, training });
        }
        let Some((model, run, criterion)) = best else {
            return Err(EpError::ImproperPosterior);
        };
        *self = model;
        Ok(IvmTraining { run, criterion, rounds: history })
    }

    /// A new active set, and the criterion less log priors with it.
    fn major(&self, data: &Observations<'_>, options: &IvmOptions) -> Result<(IvmRun, f64), EpError> {
        let run = self.build(data, options)?;
        let criterion = self.criterion(data, &run.posterior)?;
        if !criterion.is_finite() {
            return Err(EpError::Overflow { value: -criterion });
        }
        Ok((run, criterion - self.log_prior()))
    }

    /// L-BFGS with an active set and its sites as they are.
    fn minor(
        &mut self,
        data: &Observations<'_>,
        run: &IvmRun,
        options: &MinimiseOptions,
    ) -> Result<Training, EpError> {
        let active = run.posterior.clone().into_active();
        let evaluate = |model: &Self, gradient: &mut [f64]| {
            let criterion = model.criterion_of(data, &active, Some(&mut *gradient))?;
            gradient.iter_mut().for_each(|g| *g = -*g);
            Ok(-criterion)
        };
        train(self, options, evaluate, |_| {})
    }
}
