//! Rounds of learning: new active set ("major"), L-BFGS ("minor") (Seeger & Jordan 2004 §5).

use super::data::Labelled;
use super::model::Ivm;
use super::options::IvmOptions;
use super::posterior::IvmPosterior;
use super::run::IvmRun;
use crate::error::InferenceError;
use crate::learning::{EvaluationState, OnEvaluation};
use gp_kernels::data::DataSource;
use gp_kernels::stoppable;
use gp_optim::{
    CheckpointFile, Companion, Control, Interrupt, MinimiseOptions, OptimError, ParameterSet,
    ParameterSetMut, StopReason, Training, companion_memory, train_with_companion,
};
use serde::{Deserialize, Serialize};

/// Number of active sets without gain that ends learning.
const PATIENCE: usize = 3;
const SETTLED: f64 = 1e-4;

/// Settings of learning.
#[derive(Clone, Debug)]
pub struct IvmLearning {
    /// Options of active sets.
    pub options: IvmOptions,
    /// Maximum rounds before the final evaluation.
    pub rounds: usize,
}

impl Default for IvmLearning {
    fn default() -> Self {
        Self { options: IvmOptions::default(), rounds: 6 }
    }
}

/// Active set, and learning with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Criterion minus log priors, before learning.
    pub criterion: f64,
    /// Fraction of the first latent's rows kept between rounds.
    pub kept: f64,
    /// Training (minus criterion); None in the final evaluation.
    pub training: Option<Training>,
}

/// Result of learning.
#[derive(Clone, Debug)]
pub struct IvmTraining {
    /// Run of the smallest criterion of any new active set; after a stop, possibly at the last learned
    /// parameters.
    pub run: IvmRun,
    /// Criterion minus log priors of `run`.
    pub criterion: f64,
    /// Rounds with the final evaluation.
    pub rounds: Vec<Round>,
    /// Completion, plateau, time limit, interrupt or failed active set.
    pub reason: StopReason,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Standing {
    round: usize,
    values: Vec<f64>,
    best: Option<Vec<f64>>,
    before: Vec<usize>,
    rounds: Vec<Round>,
}

impl Standing {
    fn is_settled(&self, criterion: f64) -> bool {
        let Some(early) = (self.rounds.len() + 1).checked_sub(PATIENCE).filter(|early| *early > 0) else {
            return false;
        };
        let least =
            |rounds: &[Round]| rounds.iter().map(|round| round.criterion).fold(f64::INFINITY, f64::min);
        let (before, after) = self.rounds.split_at(early);
        least(before) - least(after).min(criterion) <= SETTLED * criterion.abs().max(1.0)
    }
}

/// State that changes only between rounds.
impl Companion for Standing {
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

#[derive(Clone, Debug)]
struct Best {
    values: Vec<f64>,
    run: IvmRun,
    criterion: f64,
}

struct Rounds<'a> {
    data: Labelled,
    options: &'a IvmOptions,
    minor: MinimiseOptions,
    major: Control,
}

impl Ivm {
    /// Minimises criterion minus log priors in rounds: new active set, then at most `minor.max_iterations`
    /// L-BFGS steps with fixed sites. Result: best start of a round or, after a stop, last learned parameters
    /// if better.
    ///
    /// Interrupts wait for the first checkpoint. Errors leave the model unchanged; failure of a later active
    /// set ends learning.
    pub(super) fn learn_in_rounds(
        &mut self,
        data: &dyn DataSource,
        IvmLearning { options, rounds }: &IvmLearning,
        minor: &MinimiseOptions,
        watch: OnEvaluation<'_, IvmPosterior>,
    ) -> Result<IvmTraining, InferenceError> {
        options.check()?;
        let (mut trial, data) = (self.clone(), Labelled::read(self, data)?);
        let mut all = Rounds::new(data, options, minor);
        let (mut course, mut best) = trial.resume(&mut all)?;
        let mut learned: Option<(IvmRun, f64)> = None;
        let reason = loop {
            course.values = trial.parameter_values();
            let run = match (all.choose(&trial, &course), &best) {
                (Err(fault), None) => return Err(fault),
                (Err(fault @ InferenceError::Optim(_)), _) => return Err(fault),
                (Err(fault), _) => break StopReason::Other(format!("an active set cannot be made: {fault}")),
                (Ok(run), _) => run,
            };
            if let (Some(reason), Some(best)) = (&run.ended, &mut best) {
                best.replace_by_learned(&trial, learned)?;
                break reason.clone();
            }
            let criterion = trial.objective(&all.data, &run)?;
            let rows = run.posterior.active(0).to_vec();
            let shared = rows.iter().filter(|row| course.before.contains(row)).count();
            let kept = shared as f64 / rows.len().max(1) as f64;
            let end = run.ended.clone().or_else(|| end_of_rounds(course.round >= *rounds, &all.minor));
            let end = end.or_else(|| course.is_settled(criterion).then_some(StopReason::Plateau));
            let training = match &end {
                Some(_) => None,
                None => Some(trial.minor(&all, &run, &mut course, watch)?),
            };
            learned = training.as_ref().map(|training| (run.clone(), -training.log_posterior));
            if best.as_ref().is_none_or(|best| criterion < best.criterion) {
                course.best = Some(course.values.clone());
                best = Some(Best { values: course.values.clone(), run, criterion });
            }
            course.before = rows;
            course.rounds.push(Round { criterion, kept, training });
            course.round += 1;
            all.begin_anew();
            if let Some(reason) = end {
                break reason;
            }
        };
        let Some(Best { values, run, criterion }) = best else {
            return Err(InferenceError::ImproperPosterior);
        };
        self.set_parameter_values(&values)?;
        Ok(IvmTraining { run, criterion, rounds: course.rounds, reason })
    }

    fn resume(&mut self, all: &mut Rounds<'_>) -> Result<(Standing, Option<Best>), InferenceError> {
        let Some(course) = companion_memory::<Standing>(&all.minor.control)? else {
            return Ok((Standing::default(), None));
        };
        let mut best = None;
        if let Some(values) = &course.best {
            self.set_parameter_values(values)?;
            let run = all.choose(self, &course)?;
            let criterion = self.objective(&all.data, &run)?;
            best = Some(Best { values: values.clone(), run, criterion });
        }
        self.set_parameter_values(&course.values)?;
        Ok((course, best))
    }

    fn objective(&self, data: &Labelled, run: &IvmRun) -> Result<f64, InferenceError> {
        let criterion = self.criterion_of(data, run.posterior.active_set(), None)?;
        if !criterion.is_finite() {
            return Err(InferenceError::Overflow { value: -criterion });
        }
        Ok(criterion - self.log_prior())
    }

    fn minor(
        &mut self,
        all: &Rounds<'_>,
        run: &IvmRun,
        course: &mut Standing,
        watch: OnEvaluation<'_, IvmPosterior>,
    ) -> Result<Training, InferenceError> {
        let (active, stop_signal) = (run.posterior.active_set(), all.minor.control.stop_signal());
        let evaluate = |model: &Self, _: &mut Standing, gradient: &mut [f64]| {
            let value = || model.criterion_of(&all.data, active, Some(&mut *gradient));
            let criterion = stoppable(&stop_signal, value)?;
            gradient.iter_mut().for_each(|g| *g = -*g);
            Ok::<f64, InferenceError>(-criterion)
        };
        let watch = |model: &Self, _: &Standing, now| {
            watch(EvaluationState::new(now, &|| IvmPosterior::new(model, active.clone())?.predictor()));
        };
        train_with_companion(self, course, &all.minor, evaluate, watch)
    }
}

impl Best {
    /// Takes the last learned parameters, if better.
    fn replace_by_learned(
        &mut self,
        model: &Ivm,
        learned: Option<(IvmRun, f64)>,
    ) -> Result<(), InferenceError> {
        let Some((run, criterion)) = learned.filter(|(_, criterion)| *criterion < self.criterion) else {
            return Ok(());
        };
        let posterior = IvmPosterior::new(model, run.posterior.active_set().clone())?;
        *self = Self { values: model.parameter_values(), run: IvmRun { posterior, ..run }, criterion };
        Ok(())
    }
}

impl<'a> Rounds<'a> {
    fn new(data: Labelled, options: &'a IvmOptions, minor: &MinimiseOptions) -> Self {
        let control = minor.control.begun();
        // An earlier interrupt lets one iteration pass, as in all runs with a checkpoint.
        let is_old = control.checkpoint().is_some() && control.is_interrupted();
        let major = if is_old { control.clone().with_interrupt(Interrupt::new()) } else { control.clone() };
        Self { data, options, minor: MinimiseOptions { control, ..minor.clone() }, major }
    }

    /// New active set; an interrupt is an error if there is a checkpoint.
    fn choose(&self, model: &Ivm, course: &Standing) -> Result<IvmRun, InferenceError> {
        let file = self.major.checkpoint().map(CheckpointFile::path);
        let waits = file.is_some_and(|path| !path.exists());
        let control = if waits { &self.major.clone().with_interrupt(Interrupt::new()) } else { &self.major };
        let run = model.build_of(control, &self.data, self.options, &mut |_| Ok(()))?;
        match (&run.ended, file) {
            (Some(StopReason::Interrupted), Some(path)) => {
                let trainings = course.rounds.iter().filter_map(|round| round.training.as_ref());
                let iteration = trainings.map(|training| training.iterations).sum();
                Err(OptimError::Interrupted { iteration, path: path.to_owned() }.into())
            }
            _ => Ok(run),
        }
    }

    /// Lets the next round replace the checkpoint.
    fn begin_anew(&mut self) {
        self.minor.control = self.minor.control.anew();
    }
}

fn end_of_rounds(done: bool, minor: &MinimiseOptions) -> Option<StopReason> {
    // With a checkpoint, an interrupt ends the next iteration instead.
    let interrupted = minor.control.is_interrupted() && minor.control.checkpoint().is_none();
    match (interrupted, minor.control.is_over()) {
        (true, _) => Some(StopReason::Interrupted),
        (false, true) => Some(StopReason::TimeLimit),
        (false, false) => done.then_some(StopReason::MaxIterations),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;
    use gp_kernels::data::Table;
    use gp_likelihoods::BernoulliProbit;

    /// Interrupts count if a checkpoint file exists.
    #[test]
    fn interrupts_are_heard_while_an_active_set_is_chosen() {
        let x = Mat::from_fn(30, 1, |i, _| 0.1 * i as f64);
        let y: Vec<f64> = (0..30).map(|i| if i < 13 { -1.0 } else { 1.0 }).collect();
        let model = Ivm::new(vec![gp_kernels::parse("rbf").unwrap()], Box::new(BernoulliProbit)).unwrap();
        let options = IvmOptions { active: 10, ..IvmOptions::default() };
        let folder = tempfile::tempdir().unwrap();
        let (path, interrupt) = (folder.path().join("run"), Interrupt::new());
        let file = CheckpointFile::new(path.clone(), "rounds");
        let control = Control::new().with_checkpoint(file).with_interrupt(interrupt.clone());
        let minor = MinimiseOptions { control, ..MinimiseOptions::default() };
        let rounds = || {
            let data = Table::with_targets(x.as_ref(), &y).unwrap();
            Rounds::new(Labelled::read(&model, &data).unwrap(), &options, &minor)
        };
        let begun = rounds();
        interrupt.request();
        let course = Standing::default();
        assert_eq!(begun.choose(&model, &course).unwrap().inclusions.len(), 10);
        std::fs::write(&path, "something").unwrap();
        let fault = begun.choose(&model, &course).unwrap_err();
        assert!(
            matches!(fault, InferenceError::Optim(OptimError::Interrupted { iteration: 0, .. })),
            "{fault}"
        );
        assert_eq!(rounds().choose(&model, &course).unwrap().inclusions.len(), 10);
    }

    /// Interrupted sites are incomplete.
    #[test]
    fn sites_cut_short_are_told() {
        let x = Mat::from_fn(30, 1, |i, _| 0.1 * i as f64);
        let y: Vec<f64> = (0..30).map(|i| if i < 13 { -1.0 } else { 1.0 }).collect();
        let model = Ivm::new(vec![gp_kernels::parse("rbf").unwrap()], Box::new(BernoulliProbit)).unwrap();
        let data = Labelled::read(&model, &Table::with_targets(x.as_ref(), &y).unwrap()).unwrap();
        let options = IvmOptions { active: 10, ..IvmOptions::default() };
        let run = model.build_of(&Control::new(), &data, &options, &mut |_| Ok(())).unwrap();
        let interrupt = Interrupt::new();
        let control = Control::new().with_interrupt(interrupt.clone());
        let is_whole = || model.rest(&control, &data, run.posterior.active_set().clone()).unwrap().1;
        assert!(is_whole());
        interrupt.request();
        assert!(!is_whole());
    }
}
