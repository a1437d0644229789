//! The linear model of the same data: linear, logistic or other generalised linear regression, as a posterior that a
//! model file holds.
//!
//! Labels and counts have penalised likelihood ([`penalised`]), real numbers a closed form, and everything else
//! expectation propagation with a linear kernel. Its covariance matrices have rank D + 1, so that D + 1 inducing inputs in
//! general position stand for all data: nothing is approximated but the likelihood.

mod line;
mod penalised;

use super::sample::Sample;
use crate::error::CliError;
use crate::method::{
    ClosedForm, Ep, Given, ITERATIONS, Method, Optimizer, Problem, Settings, TrainingRows, is_gaussian,
};
use crate::model::{Approximation, together};
use gp_kernels::Kernel;
use gp_kernels::algebra::Sum;
use gp_kernels::kernels::constant::Constant;
use gp_kernels::kernels::linear::{Identity, Linear};
use gp_kernels::placement::{Greedy, Placement};
use gp_likelihoods::{Adjusted, BernoulliLogit, Gaussian, Gaussians, Likelihood, Poisson, Softmax, Support};
use gp_optim::Control;

/// A fit of this many numbers, N D² for each latent, takes seconds.
const MOST_WORK: f64 = 1e9;
/// Other observations than real numbers, labels and counts are taken from so many rows at most: sites come to rest slowly.
const MOST_OTHERS: usize = 2_000;
/// Iterations of the two variances, where sites come to rest for each of them, and steps where sweeps and steps take turns.
const FEW_ITERATIONS: u64 = 50;
const FEW_STEPS: u64 = 50;
/// Noise of several targets, where training starts.
const NOISE: f64 = 0.1;

/// The linear model of the observations of a sample, unless it would take long or the time is over. The control of the
/// problem has begun.
///
/// # Errors
/// Of kind [`Numerical`](crate::ErrorKind::Numerical) where it cannot be fitted.
pub(super) fn linear(problem: &Problem, sample: &TrainingRows) -> Result<Option<Approximation>, CliError> {
    let (control, seed) = (&problem.settings.control, problem.settings.seed);
    // Expectation propagation has to integrate, which log densities alone do not let it.
    if is_over(control) || problem.likelihood.is_sampled() {
        return Ok(None);
    }
    if problem.likelihood.targets() > 1 {
        return of_several(problem, sample);
    }
    let plain = without_parameters(problem.likelihood.as_ref())?;
    let is_adjusted = problem.likelihood.plain().is_some();
    match plain.map(|own| with_columns(own, is_adjusted)) {
        Some(likelihood) => {
            let most = penalised::most_rows(sample, likelihood.latents());
            let rows = Sample::at_most(sample, most, seed)?.rows;
            penalised::fit(&rows, likelihood, control)
        }
        None => by_kernel(problem, sample),
    }
}

/// The likelihood of observations that have columns for roles, where they have such.
fn with_columns(own: Box<dyn Likelihood>, is_adjusted: bool) -> Box<dyn Likelihood> {
    if is_adjusted { Box::new(Adjusted::new(own)) } else { own }
}

/// A linear regression for each of several targets, each by the rows that have it.
fn of_several(problem: &Problem, sample: &TrainingRows) -> Result<Option<Approximation>, CliError> {
    if problem.likelihood.support() != Support::Real {
        return Ok(None);
    }
    let (outputs, mut lines) = (problem.likelihood.targets(), Vec::new());
    let is_adjusted = problem.likelihood.plain().is_some();
    let noise = Gaussians::new(vec![NOISE; outputs])?;
    for output in 0..outputs {
        let one = Problem {
            kernels: problem.kernels.iter().take(1).cloned().collect(),
            likelihood: with_columns(Gaussian::new(NOISE)?.into(), is_adjusted),
            settings: Settings { known_parameters: true, ..problem.settings.clone() },
            ..problem.clone()
        };
        lines.extend(by_kernel(&one, &sample.of_target(output, outputs)?)?);
    }
    (lines.len() == outputs).then(|| together(&lines, noise.into())).transpose()
}

/// `true` once the time is over or the run was interrupted.
fn is_over(control: &Control) -> bool {
    control.wants_end()
}

/// The likelihood of the same observations that a regression is usually made with, where that has no parameters to be
/// learned: softmax of labels with a latent function each, log odds of two, a rate of counts.
fn without_parameters(of_model: &dyn Likelihood) -> Result<Option<Box<dyn Likelihood>>, CliError> {
    let latents = of_model.latents();
    Ok(match of_model.support() {
        Support::Signs if latents == 1 => Some(BernoulliLogit.into()),
        Support::Classes(classes) if latents == classes => Some(Softmax::new(classes)?.into()),
        Support::Counts if of_model.name() == "poisson" => Some(Poisson::new(0.0)?.into()),
        _ => None,
    })
}

fn by_kernel(problem: &Problem, sample: &TrainingRows) -> Result<Option<Approximation>, CliError> {
    let is_real = is_gaussian(problem.likelihood.as_ref());
    let most = if is_real { usize::MAX } else { MOST_OTHERS };
    let sample = Sample::at_most(sample, most, problem.settings.seed)?.rows;
    let (points, _) = sample.whole()?;
    let (rows, dim, latents) = (points.nrows(), points.ncols(), problem.kernels.len());
    let width = (dim + 1) as f64;
    if rows as f64 * width * width * latents as f64 > MOST_WORK {
        return Ok(None);
    }
    let kernel = Sum::of(vec![Box::new(Linear::new(Identity)), Box::new(Constant::new())])?;
    let placed = Greedy::new().place(kernel.as_ref(), points, (dim + 1).min(rows), 0)?;
    let method: &dyn Method = if is_real { &ClosedForm::VFE } else { &Ep::EP };
    // Sites of densities that are not log-concave take hundreds of sweeps to come to rest.
    let in_turns = !problem.likelihood.is_log_concave();
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
        likelihood: problem.likelihood.clone_box(),
        settings: Settings {
            given,
            optimizer,
            fixed_inducing: true,
            known_parameters: problem.settings.known_parameters,
            control: problem.settings.control.aside(),
            ..Settings::default()
        },
    })?;
    Ok(Some(fit.posterior))
}
