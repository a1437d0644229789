//! What a straight function of the inputs makes of the same data: linear, logistic or other generalised linear
//! regression, as a Gaussian process with a linear kernel.
//!
//! Its covariance matrices have rank D + 1, so that D + 1 inducing inputs in general position stand for all data: nothing
//! is approximated but the likelihood.

use super::sample::Sample;
use crate::error::CliError;
use crate::method::{
    ClosedForm, Ep, Given, ITERATIONS, Method, Optimizer, Problem, Rows, Settings, is_gaussian,
};
use crate::model::Approximation;
use gp_kernels::Kernel;
use gp_kernels::algebra::Sum;
use gp_kernels::kernels::constant::Constant;
use gp_kernels::kernels::linear::{Identity, Linear};
use gp_kernels::placement::{Greedy, Placement};
use gp_likelihoods::{Likelihood, MulticlassProbit};

/// A fit of this many numbers, N D² for each latent, takes seconds.
const MOST_WORK: f64 = 1e9;
/// Labels and counts are taken from so many rows at most, far more than there are directions: where a straight line tells
/// labels apart, sites come to rest slowly.
const MOST_LABELS: usize = 10_000;
/// Iterations of the two variances, where sites come to rest for each of them, and steps where sweeps and steps take turns.
const FEW_ITERATIONS: u64 = 50;
const FEW_STEPS: u64 = 100;

/// The linear model of the observations of a sample, unless it would take long.
///
/// # Errors
/// Of kind [`Numerical`](crate::ErrorKind::Numerical) where it cannot be fitted.
pub(super) fn linear(problem: &Problem, sample: &Rows) -> Result<Option<Approximation>, CliError> {
    let most = if is_gaussian(problem.likelihood.as_ref()) { usize::MAX } else { MOST_LABELS };
    let sample = Sample::at_most(sample, most, problem.settings.seed)?.rows;
    let (points, _) = sample.whole()?;
    let (rows, dim, latents) = (points.nrows(), points.ncols(), problem.kernels.len());
    let width = (dim + 1) as f64;
    if rows as f64 * width * width * latents as f64 > MOST_WORK {
        return Ok(None);
    }
    let kernel = Sum::of(vec![Box::new(Linear::new(Identity)), Box::new(Constant::new())])?;
    let placed = Greedy::new().place(kernel.as_ref(), points, (dim + 1).min(rows), 0)?;
    let likelihood = likelihood(problem.likelihood.as_ref())?;
    let method: &dyn Method = if is_gaussian(likelihood.as_ref()) { &ClosedForm::VFE } else { &Ep::EP };
    // Sites of densities that are not log-concave take hundreds of sweeps to come to rest.
    let in_turns = !likelihood.is_log_concave();
    let mut given = Given::default();
    given.insert(ITERATIONS.name(), if in_turns { FEW_STEPS } else { FEW_ITERATIONS }.into());
    let optimizer = in_turns.then_some(Optimizer::SignAdaptive);
    // What was fixed or expected of the likelihood holds here too; what was given for kernels does not.
    let kernels: Vec<Box<dyn Kernel>> = vec![kernel; latents];
    let fit = method.fit(Problem {
        rows: sample,
        inducing: vec![placed.inputs; latents],
        kernels,
        alike: true,
        likelihood,
        settings: Settings { given, optimizer, fixed_inducing: true, ..Settings::default() },
    })?;
    Ok(Some(fit.posterior))
}

/// The likelihood itself or, for several classes with a latent function each, the one of them that is taken apart into
/// pairs of classes: regression of the labels on a straight function is the same thing under all of them, and this is
/// quick.
fn likelihood(of_model: &dyn Likelihood) -> Result<Box<dyn Likelihood>, CliError> {
    let (classes, latents) = (of_model.support().classes(), of_model.latents());
    if latents > 1 && latents == classes {
        return Ok(Box::new(MulticlassProbit::new(classes)?));
    }
    Ok(of_model.clone_box())
}
