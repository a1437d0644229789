//! EP in mini-batches, with one average site for all observations (stochastic EP) or a site for each.

use super::power_ep::{approximation, model, usual_power};
use super::update::Sites;
use super::{Fit, GradientCheck, Later, Method, Optimizer, Problem, Setting, Sizes, Updated};
use crate::error::CliError;
use gp_ep::power_ep::{InnerOptions, Level, MiniBatchEp, Sharing, Trained};
use gp_ep::{DataSource, PowerEp, Table};
use gp_likelihoods::Likelihood;
use gp_optim::{Adadelta, Adam, Batches, Descended, UpdateRule};

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

    fn objection(&self, _likelihood: &dyn Likelihood) -> Option<String> {
        None
    }

    fn memory(&self, sizes: Sizes) -> f64 {
        let (batch, inducing, latents) = (BATCH_SIZE as f64, sizes.inducing as f64, sizes.latents as f64);
        let data = sizes.rows as f64 * (sizes.dim + 1) as f64;
        8.0 * (data + batch * latents * inducing + latents * 40.0 * inducing * inducing)
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let model = model(&problem, Level::Projection)?;
        let data = Table::with_targets(problem.points.as_ref(), &problem.targets)?;
        match problem.settings.optimizer.unwrap_or(Optimizer::Adam) {
            Optimizer::Adadelta => in_batches(model, &problem, &data, Adadelta::default()),
            _ => in_batches(model, &problem, &data, Adam::with_rate(RATE)),
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

fn in_batches<R: UpdateRule>(
    mut model: PowerEp,
    problem: &Problem,
    data: &dyn DataSource,
    rule: R,
) -> Result<Fit, CliError> {
    let settings = &problem.settings;
    let size = settings.batch_size.unwrap_or(BATCH_SIZE).min(data.count());
    let batches = Batches::shuffled(data.count(), size, settings.seed)?;
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
