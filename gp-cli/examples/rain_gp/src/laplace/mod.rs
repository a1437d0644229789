//! Laplace's approximation with inducing inputs, for differentiable likelihoods.

mod model;

use gp_cli::CliError;
use gp_cli::method::{
    Fit, GradientCheck, ITERATIONS, Later, Method, Problem, Setting, Updated, compare, minimise_options,
    refused,
};
use gp_ep::{EvidenceKind, LatentModel};
use gp_likelihoods::Likelihood;
use model::Model;

/// Gaussian at the mode of the whitened inducing values, with the curvature there. Replaces latent values by their
/// means given the inducing values: exact if all rows are inducing inputs.
#[derive(Clone, Copy, Debug)]
pub struct Laplace;

const BUDGET: Setting = ITERATIONS.default_whole(100);
const NEWTON: Setting =
    Setting::integer("newton", "N", 1, "Newton steps to a mode at most").default_whole(200);

impl Method for Laplace {
    fn name(&self) -> &'static str {
        "laplace"
    }

    fn summary(&self) -> &'static str {
        "Laplace's approximation: a Gaussian at the mode of the posterior"
    }

    fn settings(&self) -> &'static [Setting] {
        &[BUDGET, NEWTON]
    }

    fn objection(&self, likelihood: &dyn Likelihood) -> Option<String> {
        (!likelihood.is_smooth()).then(|| {
            format!("it needs derivatives, and the density of {} has jumps or kinks", likelihood.name())
        })
    }

    fn memory(&self, problem: &Problem) -> f64 {
        let sizes = problem.sizes();
        let (rows, values) = (sizes.rows as f64, (sizes.inducing * sizes.latents) as f64);
        8.0 * (rows * (4.0 * values * sizes.latents as f64 + sizes.dim as f64) + 6.0 * values * values)
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let (rows, given) = (problem.rows.whole()?, &problem.settings.given);
        let (mut latent, newton) = model(&problem)?;
        let options = minimise_options(given.integer_of(&BUDGET)?, &problem.settings.control);
        let evaluate = |latent: &LatentModel, gradient: &mut [f64]| {
            Model { latent, newton }.evaluate(rows, Some(gradient))
        };
        let training = gp_optim::train(&mut latent, &options, evaluate, |_, _| {})?;
        let model = Model { latent: &latent, newton };
        let posterior = model.posterior(model.mode(rows)?)?;
        Ok(Fit::of_training(posterior, EvidenceKind::Estimate, &training))
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        let (rows, (latent, newton)) = (problem.rows.whole()?, model(problem)?);
        let evaluate = |latent: &LatentModel, gradient: Option<&mut [f64]>| {
            Model { latent, newton }.evaluate(rows, gradient)
        };
        compare(&latent, &latent.parameter_names(), evaluate)
    }

    fn update(&self, _later: Later<'_>) -> Result<Updated, CliError> {
        Err(refused(self.name(), "its mode is that of all rows together, which it does not hold"))
    }
}

fn model(problem: &Problem) -> Result<(LatentModel, u64), CliError> {
    let latent = LatentModel::new(problem.processes()?, problem.likelihood.clone())?;
    Ok((latent, problem.settings.given.integer_of(&NEWTON)?))
}
