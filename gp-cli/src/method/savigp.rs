//! Variational Gaussians and mixtures, full or diagonal.

use super::batches;
use super::check::GradientCheck;
use super::contract::Method;
use super::defaults::DefaultCase;
use super::given::Given;
use super::later::{Later, Updated};
use super::optimizer::{Optimizer, minimise_options};
use super::outcome::Fit;
use super::problem::{Problem, SECOND_STAGE, Settings};
use super::setting::Setting;
use super::sites::ConvergedSites;
use super::variational::{
    self, BATCH_SIZE, EPOCHS, NATURAL_RATE, approximation, fit_in_batches, start, steps_in_batches,
};
use super::work::{Integral, Work};
use crate::encode::Role;
use crate::error::CliError;
use gp_ep::{Inference as _, Learning};
use gp_likelihoods::Likelihood;
use gp_optim::Control;
use gp_variational::expectation::MAX_SAMPLES;
use gp_variational::savigp::{BoundLearning, Covariance};
use gp_variational::{Draws, Estimator, Expectation, NaturalOptions, Sampling, Savigp};

#[derive(Clone, Copy, Debug)]
pub(super) struct SavigpMethod;

const ITERATIONS: Setting = variational::ITERATIONS.default_whole_by_case(&[OUTER, JOINT]);
/// Iterations: posterior converged at each; trained with parameters.
const OUTER: DefaultCase<u64> = DefaultCase::new(100, "for one full Gaussian, also the first of a mixture");
const JOINT: DefaultCase<u64> = DefaultCase::new(500, "for others");
/// Maximum Q for quadrature.
const QUADRATURE_LATENTS: usize = 2;

const COMPONENTS: Setting = Setting::integer("components", "K", 1, "Number of Gaussians in the posterior")
    .at_most(MAX_COMPONENTS)
    .default_whole(1);
/// Maximum K; time grows as K².
const MAX_COMPONENTS: u64 = 1000;
const COVARIANCE: Setting = Setting::choice(
    "covariance",
    &[(FULL, "Correlated whitened inducing values"), (DIAGONAL, "Independent whitened inducing values")],
    "Covariances of these Gaussians",
)
.default_word(FULL);
const FULL: &str = "full";
const DIAGONAL: &str = "diagonal";
const SAMPLES: Setting = Setting::integer("samples", "S", 0, "Samples per expectation, 0 for quadrature")
    .at_most(MAX_SAMPLES as u64)
    .default_whole_by_case(&[BY_QUADRATURE, BY_SAMPLES]);
const BY_QUADRATURE: DefaultCase<u64> =
    DefaultCase::new(0, "for up to two latent functions or a density with jumps or kinks");
const BY_SAMPLES: DefaultCase<u64> = DefaultCase::new(128, "otherwise");
const SETTINGS: &[Setting] = &[COMPONENTS, COVARIANCE, SAMPLES, ITERATIONS, EPOCHS, BATCH_SIZE];

impl Method for SavigpMethod {
    fn name(&self) -> &'static str {
        "savigp"
    }

    fn summary(&self) -> &'static str {
        "variational inference with a Gaussian or a mixture of Gaussians, full or diagonal, by quadrature or samples"
    }

    fn shares_rows(&self) -> bool {
        true
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn evaluates_densities(&self) -> bool {
        true
    }

    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Lbfgs, Optimizer::Adam, Optimizer::Adadelta]
    }

    fn supports(&self, role: Role) -> bool {
        role.adjusts()
    }

    fn is_heeded_untrained(&self, setting: &str, optimizer: Optimizer, given: &Given) -> bool {
        setting != ITERATIONS.name() || optimizer != Optimizer::Lbfgs || !asks_for_one_full(given)
    }

    fn memory(&self, problem: &Problem) -> f64 {
        let sizes = problem.sizes();
        let (rows, inducing, latents) = (sizes.at_once as f64, sizes.inducing as f64, sizes.latents as f64);
        let data = sizes.held as f64 * sizes.width() as f64;
        let parts = latents * components(&problem.settings) as f64;
        8.0 * (data + rows * (latents * inducing + 8.0 * parts) + parts * 40.0 * inducing * inducing)
    }

    fn work(&self, problem: &Problem) -> Option<Work> {
        let (likelihood, settings) = (problem.likelihood.as_ref(), &problem.settings);
        let integral = match expectation(likelihood, settings) {
            Expectation::Exact => Integral::Expected,
            Expectation::Sampled(sampling) => Integral::Sampled(sampling.samples),
        };
        // Mixtures and diagonal covariances train together with the parameters, in an unknown number of
        // evaluations.
        let iterations = settings.given.integer_in(&ITERATIONS, OUTER);
        asks_for_one_full(&settings.given).then(|| variational::work(problem, iterations, integral))?
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let model = model(&problem)?;
        match problem.settings.optimizer.unwrap_or(Optimizer::Lbfgs) {
            Optimizer::Lbfgs => on_all(model, &problem),
            _ => in_batches(model, &problem),
        }
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        super::gradients::bound(model(problem)?, problem, components(&problem.settings))
    }

    fn sites(&self, _given: &Given, _likelihood: &dyn Likelihood, _rows: usize) -> Option<ConvergedSites> {
        Some(ConvergedSites::variational())
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        super::update::by_sites(self.name(), later, ConvergedSites::variational())
    }
}

pub(super) fn model(problem: &Problem) -> Result<Savigp, CliError> {
    let settings = &problem.settings;
    let expectation = expectation(problem.likelihood.as_ref(), settings);
    let model = Savigp::new(problem.shared_processes()?, problem.likelihood.clone())?
        .with_reduction(problem.reduction())
        .with_expectation(expectation)?;
    let covariance = match settings.given.word(&COVARIANCE) {
        Some(DIAGONAL) => Covariance::Diagonal,
        _ => Covariance::Full,
    };
    let start = start(problem, model.posterior().counts(), covariance)?;
    Ok(model.with_posterior(start)?)
}

/// Exact expectation for few latents or non-differentiable densities, otherwise by samples.
fn expectation(likelihood: &dyn Likelihood, settings: &Settings) -> Expectation {
    let (smooth, sampled) = (likelihood.is_smooth(), likelihood.is_sampled());
    let integrates = likelihood.latents() <= QUADRATURE_LATENTS || !smooth;
    let case = if integrates && !sampled { BY_QUADRATURE } else { BY_SAMPLES };
    let estimator = if smooth && !sampled { Estimator::Reparameterised } else { Estimator::ControlledScore };
    match settings.given.count_in(&SAMPLES, case) {
        0 => Expectation::Exact,
        samples => {
            let seed = settings.seed;
            Expectation::Sampled(Sampling { estimator, draws: Draws::QuasiRandom, samples, seed })
        }
    }
}

/// Convergence settings, looser for noisy samples.
fn rest(model: &Savigp) -> NaturalOptions {
    match model.expectation() {
        Expectation::Exact => NaturalOptions::default(),
        Expectation::Sampled(_) => NaturalOptions { tolerance: 1e-6, ..NaturalOptions::default() },
    }
}

fn components(settings: &Settings) -> usize {
    settings.given.count(&COMPONENTS).unwrap_or(1)
}

fn asks_for_one_full(given: &Given) -> bool {
    given.count(&COMPONENTS).unwrap_or(1) == 1 && given.word(&COVARIANCE) != Some(DIAGONAL)
}

fn is_one_full(model: &Savigp) -> bool {
    model.posterior().components() == 1 && model.posterior().covariance() == Covariance::Full
}

/// Full-batch fit; mixtures start from one trained Gaussian.
fn on_all(mut model: Savigp, problem: &Problem) -> Result<Fit, CliError> {
    let (data, settings) = (&problem.rows, &problem.settings);
    let components = components(settings);
    let case = if is_one_full(&model) { OUTER } else { JOINT };
    let iterations = settings.given.integer_in(&ITERATIONS, case);
    let control = settings.control.begun();
    let options = minimise_options(iterations, &control);
    let learning = BoundLearning::converged(rest(&model));
    let learned = model.learn_with(data, Learning::Outer(options), &learning, &mut |_| {})?;
    let first = Fit::of_course(approximation(&model)?, model.evidence_kind(), &learned.run);
    if components == 1 {
        let rested = learned.state.ascent.is_none_or(|ascent| ascent.converged);
        return Ok(Fit { converged: first.converged && rested, ..first });
    }
    model.set_posterior(model.posterior().split(components, settings.seed)?)?;
    let iterations = settings.given.integer_in(&ITERATIONS, JOINT);
    let how = Learning::Outer(minimise_options(iterations, &second(&control)));
    let again = model.learn(data, how)?.run;
    let fit = Fit::of_course(approximation(&model)?, model.evidence_kind(), &again);
    let curve = first.curve.into_iter().chain(fit.curve).collect();
    Ok(Fit { curve, iterations: first.iterations + fit.iterations, ..fit })
}

/// Mini-batch fit: one full Gaussian by natural gradients, others with parameters.
fn in_batches(mut model: Savigp, problem: &Problem) -> Result<Fit, CliError> {
    let settings = &problem.settings;
    let (components, control) = (components(settings), settings.control.begun());
    let stage = |model: &mut Savigp, control: &Control, share: fn(u64) -> u64| {
        let mut learning = BoundLearning::default();
        learning.rate = is_one_full(model).then_some(NATURAL_RATE);
        let count = |per_epoch| share(steps_in_batches(&settings.given, per_epoch));
        batches::learn(model, (problem, control), &learning, count)
    };
    // For a mixture, the first Gaussian gets half of the steps.
    let first: fn(u64) -> u64 = if components == 1 { |count| count } else { |count| count.div_ceil(2) };
    let mut trained = stage(&mut model, &control, first)?;
    if components > 1 {
        model.set_posterior(model.posterior().split(components, settings.seed)?)?;
        trained = stage(&mut model, &second(&control), |count| (count / 2).max(1))?;
    }
    fit_in_batches(&model, &trained)
}

/// Second-stage control with its own checkpoint file.
fn second(control: &Control) -> Control {
    let file = control.checkpoint().map(|file| file.beside(SECOND_STAGE));
    file.map_or_else(|| control.clone(), |file| control.clone().with_checkpoint(file))
}
