//! Where training starts: what a quick fit of some rows finds.
//!
//! Usual kernels start with length-scales that are all alike. From there some objectives lead nowhere: with many inputs
//! of which few matter, the nearest optimum of the variational bound is that everything is noise. Power EP with α = ½
//! does not fall into it, and learns from a thousand rows in seconds which inputs matter. All methods with inducing inputs
//! set out from what it finds.

use super::sample::Sample;
use super::spec::FitSpec;
use crate::error::CliError;
use crate::method::{Problem, Rows, minimise_options};
use gp_ep::{Inference as _, Learning, Powers, SparseRegression};
use gp_kernels::inducing::SparseProcess;
use gp_kernels::placement::{KMeans, Placement};
use gp_likelihoods::Gaussian;

/// Rows of the quick fit, and inducing inputs that it sees them through.
const ROWS: usize = 1_000;
const INDUCING: usize = 100;
const ITERATIONS: u64 = 60;
/// Half way between the variational bound and EP, by the advice of Bui et al. (2017).
const POWER: f64 = 0.5;

/// Moves kernel and noise of a problem to where a quick fit leads them, where they are the usual ones.
///
/// # Errors
/// Of kind [`Numerical`](crate::ErrorKind::Numerical) for rows that cannot be read.
pub(super) fn settle(problem: &mut Problem, spec: &FitSpec, sample: &Rows) -> Result<(), CliError> {
    let asked = !spec.kernel.is_empty() || spec.no_train || spec.search.is_some();
    let (Some(noise), false) = (problem.likelihood.gaussian_noise().cloned(), asked) else { return Ok(()) };
    let few = Sample::at_most(sample, ROWS, spec.seed)?.rows;
    let Some(found) = quick(problem, noise, &few)? else { return Ok(()) };
    problem.kernels = vec![found.process().kernel().clone_box(); problem.kernels.len()];
    let learned = found.noise().parameters();
    for (parameter, learned) in problem.likelihood.parameters_mut().iter_mut().zip(learned) {
        parameter.set_values(learned.values())?;
    }
    Ok(())
}

/// A quick fit, or nothing where it comes to no end.
fn quick(problem: &Problem, noise: Gaussian, rows: &Rows) -> Result<Option<SparseRegression>, CliError> {
    let (points, _) = rows.whole()?;
    let kernel = problem.kernels[0].as_ref();
    let placed = KMeans::new().place(kernel, points, INDUCING.min(points.nrows()), problem.settings.seed)?;
    let process = SparseProcess::new(kernel.clone_box(), placed.inputs)?;
    let mut model = SparseRegression::new(process, noise, Powers::Same(POWER));
    let options = minimise_options(ITERATIONS, &problem.settings.control.aside());
    let learned = model.learn(rows, Learning::Outer(options));
    Ok(learned.is_ok().then_some(model))
}
