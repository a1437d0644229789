//! Start of training: quick fits on some rows.
//!
//! With many irrelevant inputs and equal length-scales, the bound's nearest optimum is pure noise. Power EP with α =
//! ½ finds relevant inputs in seconds; methods with inducing inputs, and given kernels [without
//! length-scales](lengths), start there.
//!
//! With few rows, length-scales may grow, and a linear term end training, before the curved input is found: further
//! quick fits start with quarter length-scales, and from [exact regression](exact); all methods start there if
//! better.
//!
//! Beyond 64 inputs, quick fits for numbers also try [one length-scale each](wide).

mod exact;
mod labels;
mod lengths;
mod mixture;
mod shared;
mod wide;

use super::interrupt::check_interrupt;
use super::sample::Sample;
use super::spec::FitSpec;
use crate::error::CliError;
use crate::method::{Problem, RepresentedBy, Settings, TrainingRows, minimise_options};
use gp_ep::{Inference as _, Learning, Powers, SparseRegression};
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_kernels::placement::{KMeans, Placement};
use gp_kernels::{Kernel, KernelExt as _};
use gp_likelihoods::Gaussian;
use gp_optim::{Control, Parameter};
use lengths::LENGTH_SCALE;
pub(super) use lengths::start_open;

/// Maximum rows, inducing inputs, iterations per quick fit.
const ROWS: usize = 1_000;
const INDUCING: usize = 100;
pub(super) const ITERATIONS: u64 = 60;
/// Midway between VFE and EP (Bui et al. 2017).
pub(super) const POWER: f64 = 0.5;
/// Length-scale factor of the second quick fit.
const SHORT: f64 = 0.25;
/// Minimum gain of further quick fits, nats.
const GAIN: f64 = 1.0;

struct Found {
    model: SparseRegression,
    is_first: bool,
    log_posterior: f64,
    log_evidence: f64,
}

/// `true` for kernels trained from default initial values.
pub(super) fn is_wanted(spec: &FitSpec) -> bool {
    (spec.kernel.is_empty() || lengths::are_open(spec)) && spec.search.is_none() && !spec.no_train
}

/// `true` for default kernels, or free length-scales for labels or Gaussian noise.
fn is_of_known_form(problem: &Problem, spec: &FitSpec) -> bool {
    let is_helped = || {
        let likelihood = problem.likelihood.as_ref();
        let of_labels = likelihood.support().classes() > 0 && spec.kernel.len() == 1;
        let of_numbers = likelihood.gaussian_noise().is_some() && problem.kernels.len() == 1;
        lengths::has_free(problem.kernels[0].as_ref()) && (of_labels || of_numbers)
    };
    spec.kernel.is_empty() || is_helped()
}

fn may_share_length(problem: &Problem, spec: &FitSpec) -> bool {
    spec.kernel.is_empty() && shared::is_wanted(problem)
}

/// Sets kernel and noise by quick fits, for labels length-scales by regressions.
pub(super) fn settle(
    problem: &mut Problem,
    spec: &FitSpec,
    sample: &TrainingRows,
    represented_by: RepresentedBy,
) -> Result<(), CliError> {
    if !is_wanted(spec) || !is_of_known_form(problem, spec) {
        return Ok(());
    }
    let all_rows = represented_by != RepresentedBy::InducingInputs;
    if problem.likelihood.mixing().is_some() {
        return if all_rows { Ok(()) } else { mixture::settle(problem, spec, sample) };
    }
    if problem.likelihood.support().classes() > 0 {
        return match may_share_length(problem, spec) {
            true => shared::settle(problem, spec, sample),
            false => labels::settle(problem, spec, sample),
        };
    }
    let Some(noise) = problem.likelihood.gaussian_noise() else { return Ok(()) };
    if let Some(own) = wide::own_lengths(problem, spec) {
        return wide::settle(problem, own, spec, (sample, all_rows));
    }
    if all_rows && with_short_lengths(problem.kernels[0].as_ref()).is_none() {
        return Ok(());
    }
    let few = Sample::at_most(sample, ROWS, spec.seed)?.rows;
    let from = (&*problem, &placed(problem, &few)?);
    let short = with_short_lengths(problem.kernels[0].as_ref());
    let mut best = best(from, short.as_deref(), noise, &few)?;
    if exact::is_wanted(spec, all_rows)
        && let Some(kernel) = exact::learned((problem, noise), best.as_ref(), spec, sample)?
    {
        best = better(best, quick(from, kernel.as_ref(), noise.clone(), &few)?);
    }
    // Methods of all rows get to the result of the first quick fit themselves.
    let Some(found) = best.filter(|best| !(all_rows && best.is_first)) else { return Ok(()) };
    start_from(problem, &found)
}

fn start_from(problem: &mut Problem, Found { model, .. }: &Found) -> Result<(), CliError> {
    problem.kernels = vec![model.process(0).kernel().clone_box(); problem.kernels.len()];
    let learned = model.noise().parameters();
    for (parameter, learned) in problem.likelihood.parameters_mut().iter_mut().zip(learned) {
        parameter.set_values(learned.values())?;
    }
    Ok(())
}

/// Work of [`settle`], for time estimates.
#[derive(Clone, Copy, Debug, Default)]
struct QuickFits {
    count: usize,
    rows: usize,
    exact: bool,
}

impl QuickFits {
    fn of(count: usize, rows: usize) -> Self {
        Self { count, rows, exact: false }
    }
}

fn quick_fits(problem: &Problem, spec: &FitSpec, represented_by: RepresentedBy) -> QuickFits {
    let (kernel, likelihood) = (problem.kernels[0].as_ref(), problem.likelihood.as_ref());
    let all_rows = represented_by != RepresentedBy::InducingInputs;
    let starts = 1 + usize::from(with_short_lengths(kernel).is_some());
    if !is_wanted(spec) || !is_of_known_form(problem, spec) {
        QuickFits::default()
    } else if likelihood.mixing().is_some() {
        QuickFits::of(if all_rows { 0 } else { problem.kernels.len() }, ROWS)
    } else if may_share_length(problem, spec) {
        QuickFits::of(shared::FITS * labels::regressions(problem), labels::ROWS)
    } else if likelihood.support().classes() > 0 {
        QuickFits::of(labels::fits(kernel) * labels::regressions(problem), labels::ROWS)
    } else if wide::own_lengths(problem, spec).is_some() {
        QuickFits::of(wide::FITS, ROWS)
    } else if likelihood.gaussian_noise().is_none() || (all_rows && starts == 1) {
        QuickFits::default()
    } else {
        // Exact regression is followed by a quick fit.
        let exact = exact::is_wanted(spec, all_rows);
        QuickFits { exact, ..QuickFits::of(starts + usize::from(exact), ROWS) }
    }
}

/// Problem with length-scales as [`settle`] likely leaves them.
pub(super) fn as_started(problem: &Problem, spec: &FitSpec) -> Problem {
    let mut started = problem.clone();
    if is_wanted(spec) && is_of_known_form(problem, spec) && may_share_length(problem, spec) {
        shared::fix_length(&mut started);
    }
    if is_wanted(spec)
        && let Some(own) = wide::own_lengths(problem, spec)
    {
        started.kernels = vec![own];
    }
    started
}

/// Problems and counts of quick fits, exact regressions.
pub(super) fn quick_problems(
    problem: &Problem,
    spec: &FitSpec,
    sample: &TrainingRows,
    represented_by: RepresentedBy,
) -> Result<Vec<(Problem, usize)>, CliError> {
    let fits = quick_fits(problem, spec, represented_by);
    if fits.count == 0 {
        return Ok(Vec::new());
    }
    let rows = Sample::at_most(sample, fits.rows, spec.seed)?.rows;
    let inducing = {
        let (points, _) = rows.whole()?;
        InducingInputs::points(points.subrows(0, INDUCING.min(points.nrows())))?
    };
    let small = Problem {
        rows,
        kernels: vec![wide::own_lengths(problem, spec).unwrap_or_else(|| problem.kernels[0].clone_box())],
        alike: true,
        inducing: vec![inducing],
        likelihood: Box::new(Gaussian::new(1.0)?),
        settings: Settings::default(),
    };
    let mut found = Vec::new();
    if fits.exact {
        let rows = Sample::at_most(sample, exact::ROWS, spec.seed)?.rows;
        found.push((Problem { rows, inducing: Vec::new(), ..small.clone() }, 1));
    }
    found.push((small, fits.count));
    Ok(found)
}

fn best(
    from: (&Problem, &InducingInputs),
    other: Option<&dyn Kernel>,
    noise: &Gaussian,
    rows: &TrainingRows,
) -> Result<Option<Found>, CliError> {
    let quick = |kernel: &dyn Kernel| quick(from, kernel, noise.clone(), rows);
    let first = quick(from.0.kernels[0].as_ref())?.map(|first| Found { is_first: true, ..first });
    Ok(better(first, other.map_or(Ok(None), quick)?))
}

fn better(before: Option<Found>, later: Option<Found>) -> Option<Found> {
    let least = before.as_ref().map_or(f64::NEG_INFINITY, |before| before.log_posterior + GAIN);
    later.filter(|later| later.log_posterior > least).or(before)
}

fn with_short_lengths(kernel: &dyn Kernel) -> Option<Box<dyn Kernel>> {
    let mut short = kernel.clone_box();
    let is_short = each_lengths(short.as_mut(), &mut |parameter| {
        let share = |i: usize| if parameter.is_fixed(i) { 1.0 } else { SHORT };
        let lengths: Vec<f64> = (0..parameter.len()).map(|i| share(i) * parameter.values()[i]).collect();
        parameter.free_len() > 0 && parameter.set_values(&lengths).is_ok()
    });
    is_short.then_some(short)
}

fn is_lengths(parameter: &Parameter) -> bool {
    parameter.is_vector() && parameter.name() == LENGTH_SCALE
}

/// `false` without ARD length-scales or on failure.
fn each_lengths(kernel: &mut dyn Kernel, change: &mut dyn FnMut(&mut Parameter) -> bool) -> bool {
    let mut is_changed = false;
    kernel.for_each_parameter_mut(&mut |parameter| {
        is_changed |= is_lengths(parameter) && change(parameter);
    });
    is_changed
}

fn placed(problem: &Problem, rows: &TrainingRows) -> Result<InducingInputs, CliError> {
    let (points, _) = rows.whole()?;
    let count = INDUCING.min(points.nrows());
    Ok(KMeans::new().place(problem.kernels[0].as_ref(), points, count, problem.settings.seed)?.inputs)
}

/// `None` on failure. With checkpoint, interrupts are errors: training must not start from unfinished results.
fn quick(
    (problem, placed): (&Problem, &InducingInputs),
    kernel: &dyn Kernel,
    noise: Gaussian,
    rows: &TrainingRows,
) -> Result<Option<Found>, CliError> {
    let process = SparseProcess::new(kernel.clone_box(), placed.clone())?;
    let mut model = SparseRegression::new(process, noise, Powers::Same(POWER));
    let control = &problem.settings.control;
    let learned = model.learn(rows, Learning::Outer(minimise_options(ITERATIONS, &aside(control))));
    check_interrupt(control)?;
    let learned = learned.ok();
    Ok(learned.as_ref().and_then(|learned| learned.run.training()).map(|training| Found {
        model,
        is_first: false,
        log_posterior: training.log_posterior,
        log_evidence: training.log_marginal_likelihood,
    }))
}

/// With checkpoint, no time limit: resumed runs start alike.
fn aside(control: &Control) -> Control {
    let aside = control.aside();
    if control.checkpoint().is_some() { aside.with_time_limit(None) } else { aside }
}
