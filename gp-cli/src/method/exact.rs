//! Exact regression.

use super::optimizer::minimise_options;
use super::{Fit, GradientCheck, Later, Method, Optimizer, Problem, Setting, Sizes, Updated};
use crate::error::CliError;
use crate::model::{Approximation, ObjectiveKind, Posterior};
use gp_ep::{ExactGp, Observations};
use gp_likelihoods::{Gaussian, Likelihood};

/// Exact regression under Gaussian noise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact;

/// Iterations unless asked otherwise.
const ITERATIONS: u64 = 300;

impl Method for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn summary(&self) -> &'static str {
        "exact regression; time grows with the cube of the rows"
    }

    fn heeds(&self, setting: Setting, _optimizer: Optimizer) -> bool {
        matches!(setting, Setting::Iterations | Setting::TimeLimit)
    }

    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Lbfgs]
    }

    fn objection(&self, likelihood: &dyn Likelihood) -> Option<String> {
        objection_unless_gaussian(likelihood)
    }

    fn memory(&self, sizes: Sizes) -> f64 {
        let rows = sizes.rows as f64;
        8.0 * (4.0 * rows * rows + rows * sizes.dim as f64)
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let noise = gaussian(problem.likelihood.as_ref())?;
        let (points, targets) = problem.rows.whole()?;
        let data = Observations::new(points, targets)?;
        let kernel = problem.kernels.into_iter().next().ok_or_else(super::power_ep::no_latent)?;
        let mut gp = ExactGp::new(kernel, noise);
        let iterations = problem.settings.iterations.unwrap_or(ITERATIONS);
        let training = gp.train(&data, &minimise_options(iterations, &problem.settings.control))?;
        let posterior = gp.condition(&data)?;
        let noise = Box::new(gp.noise().clone());
        let latents = vec![Posterior::Exact(Box::new(posterior))];
        Ok(Fit::of_training(Approximation::new(latents, noise), ObjectiveKind::Exact, &training))
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        super::gradients::exact(problem)
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        super::update::exact(later)
    }
}

/// Closed forms are those of Gaussian noise.
pub(super) fn objection_unless_gaussian(likelihood: &dyn Likelihood) -> Option<String> {
    (likelihood.name() != "gaussian")
        .then(|| format!("it needs Gaussian noise, and the likelihood is {}", likelihood.name()))
}

/// The Gaussian that a likelihood of that name is, with what was said of its parameter.
pub(super) fn gaussian(likelihood: &dyn Likelihood) -> Result<Gaussian, CliError> {
    let mut gaussian = Gaussian::new(1.0)?;
    gaussian.parameters_mut().clone_from_slice(likelihood.parameters());
    Ok(gaussian)
}
