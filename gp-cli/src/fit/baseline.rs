//! What a straight function of the inputs makes of the same data: linear, logistic or other generalised linear
//! regression, as a Gaussian process with a linear kernel.
//!
//! Its covariance matrices have rank D + 1, so that D + 1 inducing inputs in general position stand for all data: nothing
//! is approximated but the likelihood.

use super::plan::GAUSSIAN;
use super::sample::Sample;
use crate::error::CliError;
use crate::method::{self, Problem, Rows, Settings};
use crate::model::Approximation;
use gp_kernels::placement::{Greedy, Placement};
use gp_kernels::{Kernel, Registry};
use gp_likelihoods::Likelihood;

/// A fit of this many numbers, N D² for each latent, takes seconds.
const MOST_WORK: f64 = 1e9;
/// Labels and counts are taken from so many rows at most, far more than there are directions: where a straight line tells
/// labels apart, sites come to rest slowly.
const MOST_LABELS: usize = 10_000;
/// Iterations of the two variances.
const ITERATIONS: u64 = 50;

/// The linear model of the observations of a sample, unless it would take long.
///
/// # Errors
/// Of kind [`Numerical`](crate::ErrorKind::Numerical) where it cannot be fitted.
pub(super) fn linear(problem: &Problem, sample: &Rows) -> Result<Option<Approximation>, CliError> {
    let most = if problem.likelihood.name() == GAUSSIAN { usize::MAX } else { MOST_LABELS };
    let sample = Sample::at_most(sample, most, problem.settings.seed)?.rows;
    let (points, _) = sample.whole()?;
    let (rows, dim, latents) = (points.nrows(), points.ncols(), problem.kernels.len());
    let width = (dim + 1) as f64;
    if rows as f64 * width * width * latents as f64 > MOST_WORK {
        return Ok(None);
    }
    let kernel = Registry::built_in().parse_for("linear(lengthscale=1) + constant(variance=1)", dim)?;
    let placed = Greedy::new().place(kernel.as_ref(), points, (dim + 1).min(rows), 0)?;
    let likelihood = likelihood(problem.likelihood.as_ref())?;
    let gaussian = likelihood.name() == GAUSSIAN;
    let method = method::find(if gaussian { "vfe" } else { "ep" })?;
    // What was fixed or expected of the likelihood holds here too; what was given for kernels does not.
    let kernels: Vec<Box<dyn Kernel>> = vec![kernel; latents];
    let fit = method.fit(Problem {
        rows: sample,
        inducing: vec![placed.inputs; latents],
        kernels,
        alike: true,
        likelihood,
        settings: Settings { iterations: Some(ITERATIONS), fixed_inducing: true, ..Settings::default() },
    })?;
    Ok(Some(fit.posterior))
}

/// The likelihood itself or, for several classes with a latent function each, the one of them that is taken apart into
/// pairs of classes: regression of the labels on a straight function is the same thing under all of them, and this is
/// quick.
fn likelihood(of_model: &dyn Likelihood) -> Result<Box<dyn Likelihood>, CliError> {
    let (classes, latents) = (of_model.support().classes(), of_model.latents());
    if latents > 1 && latents == classes {
        return Ok(gp_likelihoods::parse(&format!("multiclass_probit(classes={classes})"))?);
    }
    Ok(of_model.clone_box())
}
