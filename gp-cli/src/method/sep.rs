//! EP in mini-batches, with one average site for all observations (stochastic EP) or a site for each.

use super::batches::in_random_order;
use super::power_ep::{approximation, model, usual_power};
use super::update::Sites;
use super::{Fit, GradientCheck, Later, Method, Optimizer, Problem, Setting, Sizes, Updated};
use crate::error::CliError;
use gp_ep::power_ep::{InnerOptions, Level, MiniBatchEp, Sharing, Trained};
use gp_ep::{DataSource, PowerEp};
use gp_likelihoods::Likelihood;
use gp_optim::{Adadelta, Adam, Descended, UpdateRule};

/// EP in mini-batches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sep;

/// Passes over the data unless asked otherwise, at least so many steps, and at most. A plateau ends training before, and
/// is not seen in fewer than some five hundred steps.
const EPOCHS: u64 = 20;
const FEWEST_STEPS: u64 = 1_000;
const MOST_STEPS: u64 = 5_000;
/// Observations in a batch unless asked otherwise.
const BATCH_SIZE: usize = 256;
/// So many blocks of batches in a row up to which the objective was not found to fall, by more than its noise and by
/// more than this share of it, are a plateau.
const PLATEAU: u64 = 5;
const VALUE_TOLERANCE: f64 = 1e-4;
/// The rate of Adam.
const RATE: f64 = 0.01;

impl Method for Sep {
    fn name(&self) -> &'static str {
        "sep"
    }

    fn summary(&self) -> &'static str {
        "EP in mini-batches, with one average site for all observations or one for each"
    }

    fn heeds(&self, setting: Setting, _optimizer: Optimizer) -> bool {
        matches!(
            setting,
            Setting::Alpha
                | Setting::Sites
                | Setting::Inducing
                | Setting::Count
                | Setting::Epochs
                | Setting::BatchSize
                | Setting::TimeLimit
        )
    }

    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Adam, Optimizer::Adadelta]
    }

    fn batch_size(&self, _optimizer: Optimizer) -> Option<usize> {
        Some(BATCH_SIZE)
    }

    fn objection(&self, _likelihood: &dyn Likelihood) -> Option<String> {
        None
    }

    fn memory(&self, sizes: Sizes) -> f64 {
        let (batch, inducing, latents) = (sizes.at_once as f64, sizes.inducing as f64, sizes.latents as f64);
        let data = sizes.held as f64 * (sizes.dim + 1) as f64;
        let sites = 2.0 * sizes.sites as f64 * latents;
        8.0 * (data + sites + batch * latents * inducing + latents * 40.0 * inducing * inducing)
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let model = model(&problem, Level::Projection)?;
        match problem.settings.optimizer.unwrap_or(Optimizer::Adam) {
            Optimizer::Adadelta => in_batches(model, &problem, Adadelta::default()),
            _ => in_batches(model, &problem, Adam::with_rate(RATE)),
        }
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        // Batches give estimates of this one; with one average site there is no objective that it would be a derivative of.
        super::gradients::at_rest(problem, Level::Projection)
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        let power = later.alpha.unwrap_or_else(|| usual_power(later.before.likelihood()));
        super::update::by_sites(self.name(), later, Sites { power, level: Level::Projection, own: false })
    }
}

fn in_batches<R: UpdateRule>(mut model: PowerEp, problem: &Problem, rule: R) -> Result<Fit, CliError> {
    let (data, settings) = (&problem.rows, &problem.settings);
    let size = settings.batch_size.unwrap_or(BATCH_SIZE).min(data.count());
    let batches = in_random_order(data.count(), size, settings.seed)?;
    let per_epoch = batches.per_epoch() as u64;
    let usual = || (EPOCHS * per_epoch).clamp(FEWEST_STEPS, MOST_STEPS.max(per_epoch));
    let mut options = InnerOptions::default();
    (options.descent.value_tolerance, options.descent.plateau) = (VALUE_TOLERANCE, PLATEAU);
    options.steps = settings.epochs.map_or_else(usual, |epochs| epochs.saturating_mul(per_epoch));
    let sharing = if settings.tied.unwrap_or(true) { Sharing::Tied } else { Sharing::Own };
    options.control = settings.control.clone();
    let trained: Trained<Descended, MiniBatchEp> =
        model.train_in_batches(data, sharing, batches, rule, &options, |_| {})?;
    let (run, state) = (trained.run, trained.state);
    let posterior = approximation(&model, problem.likelihood.clone(), |model, q| state.posterior(model, q))?;
    Ok(Fit::of_descent(posterior, &run))
}
