//! Learning parameters: active sets anew ("major"), then L-BFGS with the active set as it is ("minor"), in rounds
//! (seed 002 §5).

use super::model::Ivm;
use super::options::IvmOptions;
use super::run::IvmRun;
use crate::error::EpError;
use crate::exact::Observations;

use gp_optim::{
    Companion, MinimiseOptions, ParameterSet, ParameterSetMut, StopReason, Training, companion_memory,
    train_beside,
};
use serde::{Deserialize, Serialize};

/// One active set, and what was learned with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Why it ended: all rounds are done, the time is over, it was interrupted, or an active set cannot be made.
    pub reason: StopReason,
}

/// Where training stood when a round began.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Course {
    round: usize,
    /// Natural values of the parameters.
    values: Vec<f64>,
    /// Those of the best round before.
    best: Option<Vec<f64>>,
    /// The active set of the round before.
    before: Vec<usize>,
    rounds: Vec<Round>,
}

/// It changes from round to round, not within one.
impl Companion for Course {
    type Memory = Self;
    const KIND: &'static str = "rounds of an informative vector machine";

    fn memory(&self) -> Self {
        self.clone()
    }

    fn recall(&mut self, memory: Self) -> Result<(), String> {
        *self = memory;
        Ok(())
    }
}

impl Ivm {
    /// Moves the free parameters towards a minimum of the criterion less log priors: `rounds` times an active set is
    /// chosen at the present parameters and they are moved by at most `minor.max_iterations` iterations of L-BFGS with
    /// its sites as they are.
    ///
    /// The criterion may rise when the active set is chosen anew, which depends on the parameters in a way that has no
    /// derivative; so the end is the best of the starts of all rounds and of what the last one came to.
    ///
    /// The control in `minor` is that of all rounds: a limit on time is one for all of them together, and a run that is
    /// interrupted in one of them goes on there. Active sets are chosen without looking up.
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
        let mut minor = MinimiseOptions { control: minor.control.begun(), ..minor.clone() };
        let (mut course, mut best) = trial.resume(data, options, &minor)?;
        let reason = loop {
            course.values = trial.parameter_values();
            let (run, criterion) = match (trial.major(data, options), &best) {
                (Err(fault), None) => return Err(fault),
                (Err(fault), Some(_)) => {
                    break StopReason::Other(format!("an active set cannot be made: {fault}"));
                }
                (Ok(found), _) => found,
            };
            let rows = run.posterior.active(0).to_vec();
            let shared = rows.iter().filter(|row| course.before.contains(row)).count();
            let kept = shared as f64 / rows.len().max(1) as f64;
            let end = end_of_rounds(course.round >= rounds, &minor);
            let training = match &end {
                Some(_) => None,
                None => Some(trial.minor(data, &run, &minor, &mut course)?),
            };
            if best.as_ref().is_none_or(|(_, _, least)| criterion < *least) {
                course.best = Some(course.values.clone());
                best = Some((course.values.clone(), run, criterion));
            }
            course.before = rows;
            course.rounds.push(Round { criterion, kept, training });
            course.round += 1;
            // What the file holds is over: the next round replaces it.
            minor.control = minor.control.anew();
            if let Some(reason) = end {
                break reason;
            }
        };
        let Some((values, run, criterion)) = best else {
            return Err(EpError::ImproperPosterior);
        };
        self.set_parameter_values(&values)?;
        Ok(IvmTraining { run, criterion, rounds: course.rounds, reason })
    }

    /// Where training was, by the checkpoint, and the best round before; or the very beginning.
    fn resume(
        &mut self,
        data: &Observations<'_>,
        options: &IvmOptions,
        minor: &MinimiseOptions,
    ) -> Result<(Course, Option<Best>), EpError> {
        let Some(course) = companion_memory::<Course>(&minor.control)? else {
            return Ok((Course::default(), None));
        };
        let mut best = None;
        if let Some(values) = &course.best {
            self.set_parameter_values(values)?;
            let (run, criterion) = self.major(data, options)?;
            best = Some((values.clone(), run, criterion));
        }
        self.set_parameter_values(&course.values)?;
        Ok((course, best))
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
        course: &mut Course,
    ) -> Result<Training, EpError> {
        let active = run.posterior.clone().into_active();
        let evaluate = |model: &Self, _: &mut Course, gradient: &mut [f64]| {
            let criterion = model.criterion_of(data, &active, Some(&mut *gradient))?;
            gradient.iter_mut().for_each(|g| *g = -*g);
            Ok::<f64, EpError>(-criterion)
        };
        train_beside(self, course, options, evaluate, |_| {})
    }
}

/// Parameters, the run with them, and its criterion.
type Best = (Vec<f64>, IvmRun, f64);

/// Why the round that begins is the last one, which only looks at what those before have come to.
fn end_of_rounds(done: bool, minor: &MinimiseOptions) -> Option<StopReason> {
    // With a checkpoint, who asks for an end has it at once: there is none to look at.
    let interrupted = minor.control.is_interrupted() && minor.control.checkpoint().is_none();
    match (interrupted, minor.control.is_over()) {
        (true, _) => Some(StopReason::Interrupted),
        (false, true) => Some(StopReason::TimeLimit),
        (false, false) => done.then_some(StopReason::MaxIterations),
    }
}
