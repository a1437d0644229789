//! Informative vector machine: active rows by information gain.

use super::check::GradientCheck;
use super::common;
use super::contract::{Method, RepresentedBy};
use super::given::Given;
use super::ivm_model::{COUPLING, model, options};
use super::later::{Later, Updated, refused};
use super::optimizer::{Optimizer, minimise_options};
use super::outcome::Fit;
use super::problem::Problem;
use super::setting::Setting;
use super::work::{Integral, Work};
use crate::error::CliError;
use crate::model::Functions;
use gp_ep::ivm::{FinalSites, IvmLearning, IvmOperations, IvmWork};
use gp_ep::{EvidenceKind, Inference as _, Learning};
use gp_likelihoods::{Likelihood, Support};
use gp_optim::ParameterSet;

#[derive(Clone, Copy, Debug)]
pub(super) struct IvmMethod;

/// Maximum active sets: with matched sites, with converged ones (may end earlier).
const ROUNDS: [usize; 2] = [6, 10];
/// Rows per chunk with all active latents.
const CHUNK: f64 = 256.0;
const ITERATIONS: Setting = common::ITERATIONS.default_whole(20);
/// Typical active sets; evaluations per set; steps to converged sites.
const TYPICAL_ROUNDS: f64 = 8.0;
const EVALUATIONS_A_ROUND: f64 = 18.0;
const STEPS_TO_CONVERGE: f64 = 12.0;
/// Uncertainty: rounds and iterations end on plateaus.
const UNSURE: f64 = 1.6;

impl Method for IvmMethod {
    fn name(&self) -> &'static str {
        "ivm"
    }

    fn summary(&self) -> &'static str {
        "the informative vector machine: labels through the most informative rows, two classes or several"
    }

    fn settings(&self) -> &'static [Setting] {
        &[ITERATIONS, COUPLING]
    }

    fn represented_by(&self) -> RepresentedBy {
        RepresentedBy::ActiveRows
    }

    fn takes_streams(&self, _optimizer: Optimizer) -> bool {
        true
    }

    fn default_inducing(&self, _latents: usize, _rows: usize) -> usize {
        100
    }

    fn evaluates_densities(&self) -> bool {
        true
    }

    fn objection(&self, likelihood: &dyn Likelihood) -> Option<String> {
        let labels = matches!(likelihood.support(), Support::Signs | Support::Classes(_));
        (!labels || likelihood.outputs() != 1)
            .then(|| format!("it needs labels, and the likelihood is {}", likelihood.name()))
    }

    fn is_heeded_untrained(&self, setting: &str, _optimizer: Optimizer, _given: &Given) -> bool {
        setting != ITERATIONS.name()
    }

    fn memory(&self, problem: &Problem) -> f64 {
        let sizes = problem.sizes();
        let (rows, active, latents) = (sizes.rows as f64, sizes.inducing as f64, sizes.latents as f64);
        // Stubs of all rows (for independent classes; fewer for coupled ones), matrices of the active set per
        // class, and data: the table if in memory, and a copy.
        let data = (sizes.rows + sizes.held) as f64 * sizes.width() as f64;
        // Converged sites: curvatures over all active latents, twice, and covariances with a chunk of rows.
        let converges = options(problem).sites == FinalSites::Converged;
        let converging =
            12.0 * (latents * active).powi(2) + 3.0 * CHUNK.min(rows) * latents * latents * active;
        let rest = if converges { converging } else { 0.0 };
        8.0 * (rows * latents * (active + 8.0) + data + latents * 12.0 * active * active + rest)
    }

    fn work(&self, problem: &Problem) -> Option<Work> {
        let (model, options) = (model(problem).ok()?, options(problem));
        let converged = options.sites == FinalSites::Converged;
        let rounds = ROUNDS[usize::from(converged)] as f64 + 1.0;
        let iterations = problem.settings.given.integer_of(&ITERATIONS).ok()?;
        let of_round = Work::of_minimising(EVALUATIONS_A_ROUND, iterations);
        let sizes = problem.sizes();
        let IvmWork { choice, step, evaluation } = model.operations((sizes.rows, sizes.dim), &options);
        let steps = if converged { STEPS_TO_CONVERGE } else { 0.0 };
        // Evaluations share the costs of choosing their active set and of converging its sites.
        let mean = |of: fn(&IvmOperations) -> f64| {
            of(&evaluation) + (of(&choice) + steps * of(&step)) / of_round.typical
        };
        let typical = TYPICAL_ROUNDS.min(rounds) * of_round.typical;
        let counts = Work::of_evaluations(typical, rounds * of_round.most);
        let expected = mean(|of| of.expectations);
        let work = Work {
            products: mean(|of| of.products),
            covariances: mean(|of| of.covariances),
            unsure: UNSURE,
            ..counts
        };
        Some(match model.node_count() {
            1 => Work { integrals: expected, tilts: mean(|of| of.tilts), ..work },
            nodes => {
                Work { integrals: expected + mean(|of| of.tilts), integral: Integral::Sampled(nodes), ..work }
            }
        })
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let mut model = model(&problem)?;
        let data = &problem.rows;
        let options = options(&problem);
        // Without parameters to learn, only sites are found.
        let most = ROUNDS[usize::from(options.sites == FinalSites::Converged)];
        let rounds = if model.free_count() == 0 { 0 } else { most };
        let iterations = problem.settings.given.integer_of(&ITERATIONS)?;
        let how = Learning::Outer(minimise_options(iterations, &problem.settings.control));
        let learned = model.learn_with(data, how, &IvmLearning { options, rounds }, &mut |_| {})?;
        let chosen = &learned.state.run;
        let posterior = chosen.posterior.predictor()?.map(Functions::from);
        let mut fit = Fit::of_course(posterior, EvidenceKind::LowerBound, &learned.run);
        if !chosen.refused.is_empty() {
            let count = chosen.refused.len();
            fit.warnings.push(format!("{count} rows were chosen and could not be made active"));
        }
        Ok(fit)
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        super::gradients::criterion(problem)
    }

    fn update(&self, _later: Later<'_>) -> Result<Updated, CliError> {
        Err(refused(self.name(), "its active rows were chosen among all rows, which it does not hold"))
    }
}
