//! Variational inference with inducing inputs: the posterior by natural gradients, everything else by the gradient of the
//! bound.

use super::batches::in_random_order;
use super::optimizer::minimise_options;
use super::savigp::approximation;
use super::update::Sites;
use super::{Fit, GradientCheck, Later, Method, Optimizer, Problem, Setting, Sizes, Updated};
use crate::error::CliError;
use crate::model::ObjectiveKind;
use gp_ep::DataSource;
use gp_ep::power_ep::Level;
use gp_likelihoods::Likelihood;
use gp_optim::{Adadelta, Adam, UpdateRule};
use gp_variational::savigp::BatchOptions;
use gp_variational::{NaturalOptions, Savigp};

/// SVGP, on all of the data or in mini-batches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Svgp;

/// Iterations on all of the data unless asked otherwise.
const ITERATIONS: u64 = 100;
/// Passes over the data in batches unless asked otherwise, and observations in a batch.
pub(super) const EPOCHS: u64 = 30;
pub(super) const BATCH_SIZE: usize = 256;
/// How far the posterior moves after a batch towards where its gradient says.
pub(super) const NATURAL_RATE: f64 = 0.1;
/// So many blocks of batches in a row up to which the objective was not found to fall, by more than its noise and by
/// more than this share of it, are a plateau.
pub(super) const PLATEAU: u64 = 5;
pub(super) const VALUE_TOLERANCE: f64 = 1e-4;
/// The rate of Adam.
pub(super) const RATE: f64 = 0.01;

impl Method for Svgp {
    fn name(&self) -> &'static str {
        "svgp"
    }

    fn summary(&self) -> &'static str {
        "variational inference for any likelihood, on all rows or in mini-batches"
    }

    fn heeds(&self, setting: Setting, optimizer: Optimizer) -> bool {
        match setting {
            Setting::Inducing | Setting::Count | Setting::TimeLimit => true,
            Setting::Iterations => optimizer == Optimizer::Lbfgs,
            Setting::Epochs | Setting::BatchSize => optimizer != Optimizer::Lbfgs,
            _ => false,
        }
    }

    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Lbfgs, Optimizer::Adam, Optimizer::Adadelta]
    }

    fn batch_size(&self, optimizer: Optimizer) -> Option<usize> {
        (optimizer != Optimizer::Lbfgs).then_some(BATCH_SIZE)
    }

    fn objection(&self, _likelihood: &dyn Likelihood) -> Option<String> {
        None
    }

    fn memory(&self, sizes: Sizes) -> f64 {
        let (rows, inducing, latents) = (sizes.at_once as f64, sizes.inducing as f64, sizes.latents as f64);
        let data = sizes.held as f64 * (sizes.dim + 1) as f64;
        8.0 * (data + rows * latents * (inducing + 8.0) + latents * 40.0 * inducing * inducing)
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let model = Savigp::new(problem.processes()?, problem.likelihood.clone())?;
        match problem.settings.optimizer.unwrap_or(Optimizer::Lbfgs) {
            Optimizer::Lbfgs => outer(model, &problem),
            Optimizer::Adadelta => in_batches(model, &problem, Adadelta::default()),
            _ => in_batches(model, &problem, Adam::with_rate(RATE)),
        }
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        let model = Savigp::new(problem.processes()?, problem.likelihood.clone())?;
        super::gradients::bound(model, problem)
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

/// The posterior comes to rest for every value that L-BFGS asks for.
fn outer(mut model: Savigp, problem: &Problem) -> Result<Fit, CliError> {
    let iterations = problem.settings.iterations.unwrap_or(ITERATIONS);
    let options = minimise_options(iterations, &problem.settings.control);
    let trained = model.train_outer(&problem.rows, &NaturalOptions::default(), &options, |_| {})?;
    let (training, ascent) = trained.run;
    let fit = Fit::of_training(approximation(&model)?, ObjectiveKind::LowerBound, &training);
    Ok(Fit { converged: fit.converged && ascent.converged, ..fit })
}

fn in_batches<R: UpdateRule>(mut model: Savigp, problem: &Problem, rule: R) -> Result<Fit, CliError> {
    let (data, settings) = (&problem.rows, &problem.settings);
    let size = settings.batch_size.unwrap_or(BATCH_SIZE).min(data.count());
    let batches = in_random_order(data.count(), size, settings.seed)?;
    let per_epoch = batches.per_epoch() as u64;
    let mut options = BatchOptions::default();
    options.steps = settings.epochs.unwrap_or(EPOCHS).saturating_mul(per_epoch);
    (options.descent.value_tolerance, options.descent.plateau) = (VALUE_TOLERANCE, PLATEAU);
    options.natural = Some(NATURAL_RATE);
    options.control = settings.control.clone();
    let run = model.train_in_batches(data, batches, rule, &options, |_| {})?.run;
    let fit = Fit::of_descent(approximation(&model)?, &run);
    Ok(Fit { objective_kind: ObjectiveKind::LowerBound, ..fit })
}
