//! Variational inference: natural gradients for the posterior, else bound gradients.

use super::batches;
use super::check::GradientCheck;
use super::common::projections;
use super::contract::{Case, Method};
use super::defaults::DefaultCase;
use super::given::Given;
use super::later::{Later, Updated};
use super::optimizer::{Optimizer, minimise_options};
use super::outcome::Fit;
use super::problem::Problem;
use super::setting::Setting;
use super::sites::ConvergedSites;
use super::variational::{
    self, BATCH_SIZE, EPOCHS, NATURAL_RATE, approximation, fit_in_batches, is_saddle, start, steps_in_batches,
};
use super::work::{Integral, Work};
use crate::encode::Role;
use crate::error::CliError;
use gp_ep::{EvidenceKind, Inference as _, Learning, Trained};
use gp_likelihoods::{Likelihood, Support};
use gp_variational::savigp::{BoundLearning, Covariance};
use gp_variational::{NaturalOptions, Savigp};

#[derive(Clone, Copy, Debug)]
pub(super) struct Svgp;

/// Iteration limits; after 100, numbers still gain several nats.
const ITERATIONS: Setting = variational::ITERATIONS.default_whole_by_case(&[OTHERS, NUMBERS]);
const OTHERS: DefaultCase<u64> = DefaultCase::new(100, "");
const NUMBERS: DefaultCase<u64> = DefaultCase::new(300, "for numbers");
/// Relative gain of the bound at convergence, a tenth of training's.
const TOLERANCE: f64 = 1e-8;
const SETTINGS: &[Setting] = &[ITERATIONS, EPOCHS, BATCH_SIZE];

impl Method for Svgp {
    fn name(&self) -> &'static str {
        "svgp"
    }

    fn summary(&self) -> &'static str {
        "variational inference for any likelihood, on all rows or in mini-batches"
    }

    fn shares_rows(&self) -> bool {
        true
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Lbfgs, Optimizer::Adam, Optimizer::Adadelta]
    }

    /// Softmax expectations are line integrals, those of multi-class probit are not.
    fn evaluates_densities(&self) -> bool {
        true
    }

    fn supports(&self, role: Role) -> bool {
        role.adjusts()
    }

    fn is_heeded_untrained(&self, setting: &str, optimizer: Optimizer, _given: &Given) -> bool {
        setting != ITERATIONS.name() || optimizer != Optimizer::Lbfgs
    }

    fn memory(&self, problem: &Problem) -> f64 {
        let sizes = problem.sizes();
        let (rows, inducing, latents) = (sizes.at_once as f64, sizes.inducing as f64, sizes.latents as f64);
        let data = sizes.held as f64 * sizes.width() as f64;
        let projections = projections(rows, latents, inducing);
        8.0 * (data + projections + rows * latents * 8.0 + latents * 40.0 * inducing * inducing)
    }

    fn is_default(&self, case: &Case<'_>) -> Option<String> {
        is_saddle(case.likelihood).then(|| {
            "targets are products of latent functions, which it starts from somewhere else than the prior"
                .to_owned()
        })
    }

    fn work(&self, problem: &Problem) -> Option<Work> {
        let iterations = iterations(problem);
        variational::work(problem, iterations, Integral::Expected)
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let model = Savigp::new(problem.shared_processes()?, problem.likelihood.clone())?
            .with_reduction(problem.reduction());
        let start = start(&problem, model.posterior().counts(), Covariance::Full)?;
        let model = model.with_posterior(start)?;
        match problem.settings.optimizer.unwrap_or(Optimizer::Lbfgs) {
            Optimizer::Lbfgs => outer(model, &problem),
            _ => in_batches(model, &problem),
        }
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        let model = Savigp::new(problem.shared_processes()?, problem.likelihood.clone())?;
        super::gradients::bound(model, problem, 1)
    }

    fn sites(&self, _given: &Given, _likelihood: &dyn Likelihood, _rows: usize) -> Option<ConvergedSites> {
        Some(ConvergedSites::variational())
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        super::update::by_sites(self.name(), later, ConvergedSites::variational())
    }
}

fn iterations(problem: &Problem) -> u64 {
    let case = if problem.likelihood.support() == Support::Real { NUMBERS } else { OTHERS };
    problem.settings.given.integer_in(&ITERATIONS, case)
}

/// L-BFGS with the posterior converged at every point.
fn outer(mut model: Savigp, problem: &Problem) -> Result<Fit, CliError> {
    let iterations = iterations(problem);
    let options = minimise_options(iterations, &problem.settings.control);
    let rest = NaturalOptions { tolerance: TOLERANCE, ..NaturalOptions::default() };
    let settled = BoundLearning::converged(rest);
    let Trained { run, state } =
        model.learn_with(&problem.rows, Learning::Outer(options), &settled, &mut |_| {})?;
    let fit = Fit::of_course(approximation(&model)?, EvidenceKind::LowerBound, &run);
    Ok(Fit { converged: fit.converged && state.ascent.is_none_or(|ascent| ascent.converged), ..fit })
}

fn in_batches(mut model: Savigp, problem: &Problem) -> Result<Fit, CliError> {
    let (settings, learning) = (&problem.settings, BoundLearning::in_steps(NATURAL_RATE));
    let count = |per_epoch| steps_in_batches(&settings.given, per_epoch);
    let trained = batches::learn(&mut model, (problem, &settings.control), &learning, count)?;
    fit_in_batches(&model, &trained)
}
