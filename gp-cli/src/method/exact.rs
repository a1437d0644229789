//! Exact regression.

use super::check::GradientCheck;
use super::common;
use super::contract::{Case, Method, RepresentedBy};
use super::gaussian::{gaussian, is_gaussian, objection_unless_gaussian};
use super::given::Given;
use super::later::{Later, Updated};
use super::optimizer::{Optimizer, minimise_options};
use super::outcome::Fit;
use super::problem::Problem;
use super::setting::Setting;
use super::uncertain;
use super::work::Work;
use crate::encode::Role;
use crate::error::CliError;
use crate::model::Functions;
use gp_ep::operations;
use gp_ep::{ClosedEvidence as _, EvidenceKind, ExactGp, Inference as _, Learning, ParameterDraws};
use gp_likelihoods::Likelihood;

#[derive(Clone, Copy, Debug)]
pub(super) struct Exact;

const ITERATIONS: Setting = common::ITERATIONS.default_whole(300);
const TYPICAL_EVALUATIONS: f64 = 60.0;
/// Maximum rows as default.
const FEW_ROWS: usize = 1_000;

impl Method for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn summary(&self) -> &'static str {
        "exact regression; time grows with the cube of the rows"
    }

    fn settings(&self) -> &'static [Setting] {
        &[ITERATIONS, common::PARAMETERS]
    }

    fn represented_by(&self) -> RepresentedBy {
        RepresentedBy::Rows
    }

    fn takes_streams(&self, _optimizer: Optimizer) -> bool {
        true
    }

    fn is_default(&self, case: &Case<'_>) -> Option<String> {
        let few = case.rows <= FEW_ROWS && !case.streamed && !case.inducing;
        (few && is_gaussian(case.likelihood))
            .then(|| format!("the noise is Gaussian and {} rows are few", case.rows))
    }

    fn objection(&self, likelihood: &dyn Likelihood) -> Option<String> {
        objection_unless_gaussian(likelihood)
    }

    fn supports(&self, role: Role) -> bool {
        role.adjusts()
    }

    fn is_heeded_untrained(&self, setting: &str, _optimizer: Optimizer, _given: &Given) -> bool {
        setting != ITERATIONS.name()
    }

    fn memory(&self, problem: &Problem) -> f64 {
        let sizes = problem.sizes();
        let rows = sizes.rows as f64;
        // Data: the table if in memory, and a copy.
        let data = (sizes.rows + sizes.held) as f64 * sizes.width() as f64;
        8.0 * (4.0 * rows * rows + data)
    }

    fn work(&self, problem: &Problem) -> Option<Work> {
        let (sizes, most) = (problem.sizes(), problem.settings.given.integer_of(&ITERATIONS).ok()?);
        let rows = sizes.rows as f64;
        Some(Work {
            products: operations::exact(sizes.rows, sizes.dim),
            covariances: rows * rows / 2.0,
            ..Work::of_minimising(TYPICAL_EVALUATIONS, most)
        })
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let noise = gaussian(problem.likelihood.as_ref())?;
        let data = &problem.rows;
        let kernel = problem.kernels.first().ok_or_else(super::power_ep::no_latent)?;
        let mut gp = ExactGp::new(kernel.clone_box(), noise);
        let iterations = problem.settings.given.integer_of(&ITERATIONS)?;
        let how = Learning::Outer(minimise_options(iterations, &problem.settings.control));
        let run = gp.learn(data, how)?.run;
        let posterior = gp.posterior(data)?.map(Functions::from);
        let mut fit = Fit::of_course(posterior, EvidenceKind::Exact, &run);
        let over =
            |draws: &ParameterDraws| Ok(gp.posterior_over_parameters(data, draws)?.map(Functions::from));
        uncertain::spread(&mut fit, &problem, over);
        Ok(fit)
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        super::gradients::exact(problem)
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        super::update::over_components(later, super::update::exact)
    }
}
