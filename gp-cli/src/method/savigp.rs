//! Variational inference with any number of Gaussians, full or diagonal, by closed forms, quadrature or samples.

use super::batches::in_random_order;
use super::optimizer::minimise_options;
use super::outcome::lower_bound;
use super::svgp;
use super::update::Sites;
use super::{Fit, GradientCheck, Later, Method, Optimizer, Problem, Setting, Sizes, Updated};
use crate::error::CliError;
use crate::fit::SECOND;
use crate::model::Approximation;
use gp_ep::DataSource;
use gp_ep::power_ep::Level;
use gp_likelihoods::Likelihood;
use gp_optim::{Adadelta, Adam, Control, UpdateRule};
use gp_variational::savigp::{BatchOptions, Covariance, Mixture};
use gp_variational::{Draws, Estimator, Expectation, NaturalOptions, Sampling, Savigp};

/// SAVIGP, on all of the data or in mini-batches.
#[derive(Clone, Copy, Debug)]
pub(super) struct SavigpMethod;

/// Iterations on all of the data unless asked otherwise: of one full Gaussian, which comes to rest for each of them, and
/// of a posterior that is trained with everything else.
const OUTER_ITERATIONS: u64 = 100;
const ITERATIONS: u64 = 500;
/// Quadrature in more dimensions takes thousands of evaluations where samples take a hundred.
const QUADRATURE_LATENTS: usize = 2;
/// Samples of each expectation, evenly spread, unless asked otherwise.
const SAMPLES: usize = 128;

impl Method for SavigpMethod {
    fn name(&self) -> &'static str {
        "savigp"
    }

    fn summary(&self) -> &'static str {
        "variational inference with a Gaussian or a mixture of Gaussians, full or diagonal, by quadrature or samples"
    }

    fn heeds(&self, setting: Setting, optimizer: Optimizer) -> bool {
        match setting {
            Setting::Inducing
            | Setting::Count
            | Setting::Components
            | Setting::Covariance
            | Setting::TimeLimit
            | Setting::Samples => true,
            Setting::Iterations => optimizer == Optimizer::Lbfgs,
            Setting::Epochs | Setting::BatchSize => optimizer != Optimizer::Lbfgs,
            Setting::Alpha | Setting::Sites | Setting::Coupling => false,
        }
    }

    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Lbfgs, Optimizer::Adam, Optimizer::Adadelta]
    }

    fn batch_size(&self, optimizer: Optimizer) -> Option<usize> {
        (optimizer != Optimizer::Lbfgs).then_some(svgp::BATCH_SIZE)
    }

    fn objection(&self, _likelihood: &dyn Likelihood) -> Option<String> {
        None
    }

    fn memory(&self, sizes: Sizes) -> f64 {
        let (rows, inducing, latents) = (sizes.at_once as f64, sizes.inducing as f64, sizes.latents as f64);
        let data = sizes.held as f64 * (sizes.dim + 1) as f64;
        let parts = latents * sizes.components as f64;
        8.0 * (data + rows * (latents * inducing + 8.0 * parts) + parts * 40.0 * inducing * inducing)
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let model = model(&problem)?;
        let rate = Adam::with_rate(svgp::RATE);
        match problem.settings.optimizer.unwrap_or(Optimizer::Lbfgs) {
            Optimizer::Lbfgs => on_all(model, &problem),
            Optimizer::Adadelta => in_batches(model, &problem, Adadelta::default),
            _ => in_batches(model, &problem, || rate.clone()),
        }
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        super::gradients::bound(model(problem)?, problem)
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        // The limit of vanishing powers is variational inference.
        super::update::by_sites(
            self.name(),
            later,
            Sites { power: 0.0, level: Level::Projection, own: false },
        )
    }
}

/// The model of a problem, with one Gaussian of the covariance that was asked for.
pub(super) fn model(problem: &Problem) -> Result<Savigp, CliError> {
    let settings = &problem.settings;
    let expectation = expectation(problem.likelihood.as_ref(), settings.samples, settings.seed);
    let model =
        Savigp::new(problem.processes()?, problem.likelihood.clone())?.with_expectation(expectation)?;
    let covariance = if settings.diagonal.unwrap_or(false) { Covariance::Diagonal } else { Covariance::Full };
    let prior = Mixture::prior(model.posterior().counts(), covariance)?;
    Ok(model.with_posterior(prior)?)
}

/// The likelihood's own integrals for few latents, or where densities have no derivatives that samples could use; samples
/// beyond, or as many as were asked for.
fn expectation(likelihood: &dyn Likelihood, samples: Option<usize>, seed: u64) -> Expectation {
    let usual =
        if likelihood.latents() <= QUADRATURE_LATENTS || !likelihood.is_smooth() { 0 } else { SAMPLES };
    let estimator =
        if likelihood.is_smooth() { Estimator::Reparameterised } else { Estimator::ControlledScore };
    match samples.unwrap_or(usual) {
        0 => Expectation::Exact,
        samples => Expectation::Sampled(Sampling { estimator, draws: Draws::QuasiRandom, samples, seed }),
    }
}

/// When the posterior is at rest. Samples are off by more than what the last digits of the bound are worth.
fn rest(model: &Savigp) -> NaturalOptions {
    match model.expectation() {
        Expectation::Exact => NaturalOptions::default(),
        Expectation::Sampled(_) => NaturalOptions { tolerance: 1e-6, ..NaturalOptions::default() },
    }
}

fn is_one_full(model: &Savigp) -> bool {
    model.posterior().components() == 1 && model.posterior().covariance() == Covariance::Full
}

/// One Gaussian first, which a mixture then is split from: from a trained one components find their places sooner.
fn on_all(mut model: Savigp, problem: &Problem) -> Result<Fit, CliError> {
    let (data, settings) = (&problem.rows, &problem.settings);
    let components = settings.components.unwrap_or(1);
    let full = is_one_full(&model);
    let iterations = settings.iterations.unwrap_or(if full { OUTER_ITERATIONS } else { ITERATIONS });
    let control = settings.control.begun();
    let options = minimise_options(iterations, &control);
    let (training, rested) = if full {
        let (training, ascent) = model.train_outer(data, &rest(&model), &options, |_| {})?.run;
        (training, ascent.converged)
    } else {
        (model.train(data, &options, |_| {})?.run, true)
    };
    if components == 1 {
        let fit = lower_bound(approximation(&model)?, &training);
        return Ok(Fit { converged: fit.converged && rested, ..fit });
    }
    model.set_posterior(model.posterior().split(components, settings.seed)?)?;
    let iterations = settings.iterations.unwrap_or(ITERATIONS);
    let again = model.train(data, &minimise_options(iterations, &second(&control)), |_| {})?.run;
    let fit = lower_bound(approximation(&model)?, &again);
    let curve = training.history.iter().map(|step| step.log_posterior).chain(fit.curve).collect();
    Ok(Fit { curve, iterations: training.iterations + again.iterations, ..fit })
}

/// The same in batches: the posterior by natural gradients while it is one full Gaussian, with everything else otherwise.
fn in_batches<R: UpdateRule>(
    mut model: Savigp,
    problem: &Problem,
    rule: impl Fn() -> R,
) -> Result<Fit, CliError> {
    let (data, settings) = (&problem.rows, &problem.settings);
    let size = settings.batch_size.unwrap_or(svgp::BATCH_SIZE).min(data.count());
    let components = settings.components.unwrap_or(1);
    let epochs = settings.epochs.unwrap_or(svgp::EPOCHS);
    // A mixture has half of the passes for itself.
    let stages = if components == 1 { vec![epochs] } else { vec![epochs.div_ceil(2), (epochs / 2).max(1)] };
    let (control, mut outcome) = (settings.control.begun(), None);
    for (stage, epochs) in stages.into_iter().enumerate() {
        if stage > 0 {
            model.set_posterior(model.posterior().split(components, settings.seed)?)?;
        }
        let batches = in_random_order(data.count(), size, settings.seed)?;
        let mut options = BatchOptions::default();
        options.steps = epochs.saturating_mul(batches.per_epoch() as u64);
        options.control = if stage == 0 { control.clone() } else { second(&control) };
        (options.descent.value_tolerance, options.descent.plateau) = (svgp::VALUE_TOLERANCE, svgp::PLATEAU);
        options.natural = is_one_full(&model).then_some(svgp::NATURAL_RATE);
        outcome = Some(model.train_in_batches(data, batches, rule(), &options, |_| {})?.run);
    }
    let run = outcome.ok_or_else(super::power_ep::no_latent)?;
    let fit = Fit::of_descent(approximation(&model)?, &run);
    Ok(Fit { objective_kind: crate::model::ObjectiveKind::LowerBound, ..fit })
}

/// The control of the second stage, whose checkpoint is a file beside that of the first.
fn second(control: &Control) -> Control {
    let file = control.checkpoint().map(|file| file.beside(SECOND));
    file.map_or_else(|| control.clone(), |file| control.clone().with_checkpoint(file))
}

/// The posterior as a model file holds it.
pub(super) fn approximation(model: &Savigp) -> Result<Approximation, CliError> {
    Approximation::of_variational(&model.predictor()?)
}
