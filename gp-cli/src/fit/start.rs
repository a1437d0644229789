//! Start of training: a quick fit of some rows.
//!
//! Default kernels start with equal length-scales, from which some objectives fail: with many inputs of which few
//! matter, the nearest optimum of the variational bound is all noise. Power EP with α = ½ avoids this and learns the
//! relevant inputs from a thousand rows in seconds. All methods with inducing inputs start from its result.

use super::interrupt::check_interrupt;
use super::sample::Sample;
use super::spec::FitSpec;
use crate::error::CliError;
use crate::method::{Problem, TrainingRows, minimise_options};
use faer::Mat;
use gp_ep::{DataSource as _, Inference as _, Learning, Powers, SparseRegression};
use gp_kernels::Kernel;
use gp_kernels::inducing::SparseProcess;
use gp_kernels::placement::{KMeans, Placement};
use gp_likelihoods::{Gaussian, Likelihood};

/// Rows and inducing inputs of the quick fit.
const ROWS: usize = 1_000;
const INDUCING: usize = 100;
const ITERATIONS: u64 = 60;
/// Half way between the variational bound and EP, as Bui et al. (2017) advise.
const POWER: f64 = 0.5;
/// Initial noise of combined targets in the quick fit.
const SCORE_NOISE: f64 = 0.1;

/// Sets default kernel and noise to the result of a quick fit.
///
/// # Errors
/// [`Numerical`](crate::ErrorKind::Numerical) for unreadable rows, [`Interrupted`](crate::ErrorKind::Interrupted) if
/// training can be resumed.
pub(super) fn settle(problem: &mut Problem, spec: &FitSpec, sample: &TrainingRows) -> Result<(), CliError> {
    let asked = !spec.kernel.is_empty() || spec.no_train || spec.search.is_some();
    if !asked && problem.likelihood.mixing().is_some() {
        return settle_mixture(problem, spec, sample);
    }
    let (Some(noise), false) = (problem.likelihood.gaussian_noise().cloned(), asked) else { return Ok(()) };
    let few = Sample::at_most(sample, ROWS, spec.seed)?.rows;
    let Some(found) = quick(problem, problem.kernels[0].as_ref(), noise, &few)? else { return Ok(()) };
    problem.kernels = vec![found.process(0).kernel().clone_box(); problem.kernels.len()];
    let learned = found.noise().parameters();
    for (parameter, learned) in problem.likelihood.parameters_mut().iter_mut().zip(learned) {
        parameter.set_values(learned.values())?;
    }
    Ok(())
}

/// The same for mixtures: each latent starts from a quick fit of the targets' combination that determines it best.
fn settle_mixture(problem: &mut Problem, spec: &FitSpec, sample: &TrainingRows) -> Result<(), CliError> {
    let few = Sample::at_most(sample, ROWS, spec.seed)?.rows;
    for latent in 0..problem.kernels.len() {
        let Some(scores) = scores(problem.likelihood.as_ref(), latent, &few)? else { continue };
        let noise = Gaussian::new(SCORE_NOISE)?;
        if let Some(found) = quick(problem, problem.kernels[latent].as_ref(), noise, &scores)? {
            problem.kernels[latent] = found.process(0).kernel().clone_box();
        }
    }
    Ok(())
}

/// Scores of one latent function from the targets: `Σ_p W_pq y_p / Σ_p W²_pq` over those present; None if
/// there are none.
fn scores(
    likelihood: &dyn Likelihood,
    latent: usize,
    rows: &TrainingRows,
) -> Result<Option<TrainingRows>, CliError> {
    let (latents, outputs) = (likelihood.latents(), likelihood.targets());
    let Some(mixing) = likelihood.mixing() else { return Ok(None) };
    let (points, observed) = rows.whole()?;
    let score = |row: &[f64]| {
        let weights = mixing.iter().skip(latent).step_by(latents);
        let there = weights.zip(&row[..outputs]).filter(|(_, y)| !y.is_nan());
        let (sum, squares) = there.fold((0.0, 0.0), |(sum, squares), (w, y)| (sum + w * y, squares + w * w));
        sum / squares
    };
    let all: Vec<f64> = observed.chunks_exact(rows.outputs()).map(score).collect();
    let told: Vec<usize> = (0..all.len()).filter(|&row| all[row].is_finite()).collect();
    if told.is_empty() {
        return Ok(None);
    }
    let points = Mat::from_fn(told.len(), points.ncols(), |i, d| points[(told[i], d)]);
    Ok(Some(TrainingRows::in_memory(points, told.into_iter().map(|row| all[row]).collect())))
}

/// Quick fit; None if it fails. With a checkpoint, an interrupt discards an unfinished fit, since training starts from
/// its result.
fn quick(
    problem: &Problem,
    kernel: &dyn Kernel,
    noise: Gaussian,
    rows: &TrainingRows,
) -> Result<Option<SparseRegression>, CliError> {
    let (points, _) = rows.whole()?;
    let placed = KMeans::new().place(kernel, points, INDUCING.min(points.nrows()), problem.settings.seed)?;
    let process = SparseProcess::new(kernel.clone_box(), placed.inputs)?;
    let mut model = SparseRegression::new(process, noise, Powers::Same(POWER));
    let control = &problem.settings.control;
    let mut aside = control.aside();
    if control.checkpoint().is_some() {
        // A resumed run must start where a run with more time would.
        aside = aside.with_time_limit(None);
    }
    let learned = model.learn(rows, Learning::Outer(minimise_options(ITERATIONS, &aside)));
    check_interrupt(control)?;
    Ok(learned.is_ok().then_some(model))
}
