//! Short training from several starts, then full training from the best.
//!
//! The first is the default; others [spread](spread) parameters and re-seed inducing inputs. Score: objective plus
//! log priors; for mini-batches and active rows, log density of a held-out fifth.

use super::interrupt::check_interrupt;
use super::memo::{Memo, STARTS};
use super::placing::Placing;
use super::sample::Sample;
use super::skill;
use super::spec::FitSpec;
use super::spread::{StartPlaces, free_count, spread};
use super::start;
use crate::error::{CliError, ErrorKind};
use crate::method::{
    EPOCHS, Fit, ITERATIONS, KNOWN, Method, Optimizer, PARAMETERS, Problem, RepresentedBy, TrainingRows,
    log_prior,
};
use crate::model::{TriedStart, TriedStarts};
use crate::stages::Stages;
use gp_ep::DataSource as _;
use gp_optim::Control;
use rand::seq::index;
use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::{Duration, Instant};

/// Iterations per round: quasi-Newton, or first-order steps.
const FEW_ITERATIONS: u64 = 50;
const FEW_STEPS: u64 = 200;
/// Mini-batches per round; maximum rows.
const FEW_BATCHES: u64 = 400;
const MAX_ROWS: usize = 20_000;
/// One row in this many is held out.
const LEFT_OUT: usize = 5;
/// Maximum difference of equal scores.
const ROUNDING: f64 = 1e-3;
/// Share of remaining time for all rounds.
const SHARE_OF_TIME: f64 = 0.5;
/// Random stream; start k places inducing inputs with `STREAM + k`.
const STREAM: u64 = 1_000;

#[derive(Debug)]
pub(super) struct Restarts<'a> {
    pub(super) method: &'a dyn Method,
    pub(super) spec: &'a FitSpec,
    pub(super) sample: &'a TrainingRows,
    pub(super) placing: Option<&'a Placing>,
    pub(super) stages: &'a Stages,
    pub(super) begun: Instant,
    pub(super) target: Option<&'a str>,
    /// Converts densities to data units.
    pub(super) log_scales: f64,
}

pub(super) fn check(
    spec: &FitSpec,
    method: &dyn Method,
    problem: &Problem,
    places: bool,
) -> Result<(), CliError> {
    if spec.restarts.is_some() && !is_comparable(method, problem) && problem.likelihood.plain().is_some() {
        return Err(CliError::usage(format!(
            "--restarts: starts of {} are compared by rows that are left out, without weights, offsets, exposures and known noise; leave out --restarts or these columns, or choose a method whose objectives compare, such as exact, pep or ep",
            method.name()
        )));
    }
    let iterations = problem.settings.given.integer(&ITERATIONS);
    let why = match spec.restarts {
        None => return Ok(()),
        Some(_) if iterations == Some(0) => "without iterations starts are not compared",
        Some(_) if free_count(problem) == 0 && !places => "no parameter is free to start elsewhere",
        Some(_) => return Ok(()),
    };
    Err(CliError::usage(format!("--restarts makes no difference: {why}; leave it out")))
}

fn is_comparable(method: &dyn Method, problem: &Problem) -> bool {
    problem.settings.batch_size.is_none() && method.represented_by() != RepresentedBy::ActiveRows
}

impl Restarts<'_> {
    /// Best start, and starts tried. `drawn_about`: default before quick fits.
    pub(super) fn best(
        &self,
        default: &Problem,
        drawn_about: &Problem,
    ) -> Result<(Problem, TriedStarts), CliError> {
        let (memo, control) = (Memo::beside(&default.settings.control), default.settings.control.clone());
        let rounds = Rounds::of(self, default)?;
        let count = usize::from(self.spec.restarts.unwrap_or(0));
        let mut starts = memo.read::<TriedStarts>(STARTS)?.unwrap_or_else(|| rounds.none_tried());
        while starts.tried.iter().all(|start| !start.kept) {
            let next = starts.tried.len();
            if next > count || (next > 0 && rounds.control.wants_end()) {
                keep_best(&mut starts.tried);
            } else {
                self.stages.begin(&format!("trying start {} of {}", next + 1, count + 1));
                let start = self.start(next, default, drawn_about)?;
                starts.tried.push(rounds.attempt(next, start)?);
            }
            check_interrupt(&control)?;
            memo.write(STARTS, &starts)?;
        }
        let kept = starts.tried.iter().find(|start| start.kept).map_or(0, |start| start.start);
        Ok((self.start(kept, default, drawn_about)?, starts))
    }

    fn start(&self, number: usize, default: &Problem, drawn_about: &Problem) -> Result<Problem, CliError> {
        if number == 0 {
            return Ok(default.clone());
        }
        let random = |stream: u64| {
            let mut rng = ChaCha8Rng::seed_from_u64(self.spec.seed);
            rng.set_stream(stream);
            rng
        };
        let mut problem = drawn_about.clone();
        spread(&mut problem, &mut StartPlaces::of(number, random(STREAM)));
        if let Some(placing) = self.placing {
            let latents = problem.kernels.len();
            let kernel = problem.kernels[0].as_ref();
            let seed = random(STREAM + number as u64).next_u64();
            problem.inducing = placing.place(kernel, self.sample, latents, seed)?;
        }
        if self.method.represented_by() == RepresentedBy::InducingInputs {
            start::settle(&mut problem, self.spec, self.sample, RepresentedBy::InducingInputs)?;
        }
        Ok(problem)
    }
}

struct Rounds<'a> {
    of: &'a Restarts<'a>,
    control: Control,
    rows: TrainingRows,
    left_out: Option<TrainingRows>,
    all: usize,
    weight: f64,
}

impl<'a> Rounds<'a> {
    fn of(of: &'a Restarts<'a>, problem: &Problem) -> Result<Self, CliError> {
        let left = |limit: Duration| limit.saturating_sub(of.begun.elapsed()).mul_f64(SHARE_OF_TIME);
        let limit = of.spec.time_limit.map(left);
        let control = problem.settings.control.aside().with_time_limit(limit).begun();
        let (rows, left_out) = if is_comparable(of.method, problem) {
            (problem.rows.clone(), None)
        } else {
            let (rows, left_out) = divided(&problem.rows, of.spec.seed)?;
            (rows, Some(left_out))
        };
        let weight = skill::mean_weight(problem.likelihood.as_ref(), of.sample)? * rows.count() as f64;
        Ok(Self { of, control, rows, left_out, all: problem.rows.count(), weight })
    }

    fn none_tried(&self) -> TriedStarts {
        let by = match &self.left_out {
            None => "the objective and log priors after a short training, in nats".to_owned(),
            Some(rows) => format!(
                "the mean log density of {} rows that a short training on {} left out, in nats",
                rows.count(),
                self.rows.count()
            ),
        };
        TriedStarts { target: self.of.target.map(str::to_owned), by, tried: Vec::new() }
    }

    fn attempt(&self, number: usize, problem: Problem) -> Result<TriedStart, CliError> {
        let began = Instant::now();
        let outcome = self.of.method.fit(self.short(problem)).and_then(|fit| {
            // A start with an impossible objective gets no score.
            let fault = skill::impossible(&fit, self.weight);
            Ok((self.score(&fit)?, fault, fit))
        });
        let tried = TriedStart {
            start: number,
            score: None,
            iterations: 0,
            converged: false,
            kept: false,
            fault: None,
            seconds: Some(began.elapsed().as_secs_f64()),
        };
        match outcome {
            Ok((_, fault @ Some(_), _)) => Ok(TriedStart { fault, ..tried }),
            Ok((score, _, fit)) if score.is_finite() => {
                let (iterations, converged) = (fit.iterations, fit.converged);
                Ok(TriedStart { score: Some(score), iterations, converged, ..tried })
            }
            Ok((score, ..)) => Ok(TriedStart { fault: Some(format!("it came to {score}")), ..tried }),
            Err(cause) if cause.kind() == ErrorKind::Numerical => {
                Ok(TriedStart { fault: Some(cause.with_causes()), ..tried })
            }
            Err(cause) => Err(cause),
        }
    }

    fn short(&self, problem: Problem) -> Problem {
        let mut short = shortened(self.of.method, problem, self.rows.count());
        short.settings.control = self.control.clone();
        short.rows = self.rows.clone();
        short
    }

    fn score(&self, fit: &Fit) -> Result<f64, CliError> {
        let Some(left_out) = &self.left_out else {
            return Ok(fit.objective + log_prior(&fit.posterior) - self.of.log_scales);
        };
        let (points, targets) = left_out.whole()?;
        let densities = fit.posterior.log_densities(points, targets)?;
        Ok(densities.iter().sum::<f64>() / densities.len() as f64 - self.of.log_scales / self.all as f64)
    }
}

pub(super) fn shortened(method: &dyn Method, mut problem: Problem, rows: usize) -> Problem {
    let settings = &mut problem.settings;
    let optimizer = settings.optimizer.unwrap_or(Optimizer::Lbfgs);
    let steps = if optimizer == Optimizer::Lbfgs { FEW_ITERATIONS } else { FEW_STEPS };
    let batch = settings.batch_size.unwrap_or(usize::MAX).min(rows).max(1);
    let passes = FEW_BATCHES.div_ceil(rows.div_ceil(batch) as u64);
    for setting in method.settings().iter().filter(|setting| setting.is_used_by(optimizer)) {
        let most = match setting.name() {
            name if name == ITERATIONS.name() => steps,
            name if name == EPOCHS.name() => passes,
            name if name == PARAMETERS.name() => {
                settings.given.insert(name, KNOWN.into());
                continue;
            }
            _ => continue,
        };
        let most = settings.given.integer(setting).map_or(most, |given| given.min(most));
        settings.given.insert(setting.name(), most.into());
    }
    settings.active = settings.active.map(|active| active.min(rows));
    problem
}

fn keep_best(tried: &mut [TriedStart]) {
    let score = |start: &TriedStart| start.score.unwrap_or(f64::NEG_INFINITY);
    let better = |best: usize, one: usize| {
        let is_better = score(&tried[one]) > score(&tried[best]) + ROUNDING;
        if is_better { one } else { best }
    };
    let best = (0..tried.len()).fold(0, better);
    if let Some(start) = tried.get_mut(best) {
        start.kept = true;
    }
}

/// Training rows and held-out fifth.
fn divided(rows: &TrainingRows, seed: u64) -> Result<(TrainingRows, TrainingRows), CliError> {
    let some = Sample::at_most(rows, MAX_ROWS, seed)?.rows;
    let count = some.count();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(STREAM);
    let mut order = index::sample(&mut rng, count, count).into_vec();
    let mut left_out = order.split_off(count - (count / LEFT_OUT).max(1));
    order.sort_unstable();
    left_out.sort_unstable();
    Ok((some.some(&order)?, some.some(&left_out)?))
}
