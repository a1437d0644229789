//! Closed-form sparse regression: Power EP, VFE, FITC.

use super::check::GradientCheck;
use super::common;
use super::contract::{Case, Method};
use super::gaussian::{is_gaussian, objection_unless_gaussian};
use super::given::Given;
use super::later::{Later, Updated};
use super::optimizer::{Optimizer, minimise_options};
use super::outcome::Fit;
use super::power_ep::EP;
use super::problem::Problem;
use super::setting::Setting;
use super::sites::ConvergedSites;
use super::sparse_regression::model;
use super::uncertain;
use super::work::Work;
use crate::encode::Role;
use crate::error::CliError;
use crate::model::Functions;
use gp_ep::operations;
use gp_ep::power_ep::Level;
use gp_ep::{Blocks, ClosedEvidence as _, Inference as _, Learning, ParameterDraws};
use gp_kernels::data::lane_count;
use gp_likelihoods::Likelihood;

#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosedForm {
    name: &'static str,
    summary: &'static str,
    settings: &'static [Setting],
    power: Option<f64>,
    white_noise: Option<f64>,
}

const ITERATIONS: Setting = common::ITERATIONS.default_whole(300);
/// Typical evaluations, inducing inputs fixed and learned.
const TYPICAL_EVALUATIONS: f64 = 60.0;
const TYPICAL_EVALUATIONS_OF_INPUTS: f64 = 110.0;
/// Learned inputs: 30 to 40 evaluations if smooth, else all iterations.
const UNSURE_OF_INPUTS: f64 = 3.1;
/// L-BFGS pairs: minimum, maximum, maximum total of their values.
const MIN_PAIRS: usize = 10;
const MAX_PAIRS: usize = 40;
const NUMBERS_OF_PAIRS: usize = 2_000_000;
/// Halfway between VFE and EP (Bui et al. 2017).
const POWER: f64 = 0.5;
const ALPHA: Setting = common::ALPHA.usually(POWER);
/// Maximum rows as default method.
const MANY_ROWS: usize = 100_000;
/// White noise of FITC, whose superfluous inducing inputs coincide.
const WHITE_NOISE: f64 = 1e-8;

impl ClosedForm {
    pub(super) const PEP: Self = Self {
        name: "pep",
        summary: "Power EP with inducing points: in closed form for Gaussian noise, by ep with --alpha for other likelihoods",
        settings: &[ALPHA, ITERATIONS, common::PARAMETERS],
        power: None,
        white_noise: None,
    };
    pub(crate) const VFE: Self = Self {
        name: "vfe",
        summary: "the variational bound with inducing points",
        settings: &[ITERATIONS, common::PARAMETERS],
        power: Some(0.0),
        white_noise: None,
    };
    pub(super) const FITC: Self = Self {
        name: "fitc",
        summary: "regression by fully independent training conditionals",
        settings: &[ITERATIONS, common::PARAMETERS],
        power: Some(1.0),
        white_noise: Some(WHITE_NOISE),
    };

    /// EP under Gaussian noise, in closed form.
    pub(super) const fn converged(name: &'static str, power: f64) -> Self {
        Self { name, power: Some(power), ..Self::PEP }
    }

    fn power(&self, given: &Given) -> f64 {
        self.power.or(given.number(&ALPHA)).unwrap_or(POWER)
    }
}

/// L-BFGS pairs: more save iterations with learned inducing inputs.
fn pairs(problem: &Problem) -> usize {
    let sizes = problem.sizes();
    if problem.settings.fixed_inducing {
        return MIN_PAIRS;
    }
    (NUMBERS_OF_PAIRS / (sizes.inducing * sizes.dim).max(1)).clamp(MIN_PAIRS, MAX_PAIRS)
}

/// Two matrices per block, scratch per lane, index lists.
fn memory_of_blocks(blocks: &Blocks, inducing: f64) -> f64 {
    let squares: f64 = blocks.iter().map(|rows| (rows.len() as f64).powi(2)).sum();
    let largest = blocks.iter().map(<[usize]>::len).max().unwrap_or(0) as f64;
    let lanes = lane_count(blocks.observations()).min(blocks.count()) as f64;
    2.0 * squares + lanes * largest * (2.0 * largest + inducing) + 4.0 * blocks.observations() as f64
}

fn work_of_blocks(blocks: &Blocks) -> f64 {
    blocks.iter().map(|rows| (rows.len() as f64).powi(3)).sum()
}

impl Method for ClosedForm {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn shares_rows(&self) -> bool {
        true
    }

    fn settings(&self) -> &'static [Setting] {
        self.settings
    }

    fn alpha(&self, problem: &Problem) -> Option<f64> {
        self.power.is_none().then(|| self.power(&problem.settings.given))
    }

    fn default_inducing(&self, _latents: usize, _rows: usize) -> usize {
        200
    }

    fn takes_streams(&self, _optimizer: Optimizer) -> bool {
        true
    }

    fn is_default(&self, case: &Case<'_>) -> Option<String> {
        let fits = case.rows <= MANY_ROWS && !case.streamed;
        (self.power.is_none() && fits && is_gaussian(case.likelihood))
            .then(|| "the noise is Gaussian, and inducing points make many rows affordable".to_owned())
    }

    fn default_white_noise(&self) -> Option<f64> {
        self.white_noise
    }

    fn learns_inducing(&self, rows: usize, given: &Given) -> bool {
        uncertain::learns_inducing(rows, self.power(given))
    }

    fn counterpart(&self, likelihood: &dyn Likelihood, given: &Given) -> Option<(&'static str, Given)> {
        if self.power.is_some() || is_gaussian(likelihood) {
            return None;
        }
        let mut given = given.clone();
        given.insert(common::ALPHA.name(), self.power(&given).into());
        Some((EP, given))
    }

    fn objection(&self, likelihood: &dyn Likelihood) -> Option<String> {
        objection_unless_gaussian(likelihood)
            .map(|objection| format!("{objection}; take method pep with --alpha, ep or svgp"))
    }

    fn supports(&self, role: Role) -> bool {
        role.adjusts() || role == Role::Blocks || (role == Role::AlphaColumn && self.power.is_none())
    }

    fn is_heeded_untrained(&self, setting: &str, _optimizer: Optimizer, _given: &Given) -> bool {
        setting != ITERATIONS.name()
    }

    fn memory(&self, problem: &Problem) -> f64 {
        let sizes = problem.sizes();
        let (rows, inducing) = (sizes.rows as f64, sizes.inducing as f64);
        // The table, if in memory, and a copy beside the projections.
        let data = (sizes.rows + sizes.held) as f64 * sizes.width() as f64;
        let blocks =
            problem.settings.blocks.as_ref().map_or(0.0, |blocks| memory_of_blocks(blocks, inducing));
        8.0 * (common::projections(rows, 1.0, inducing) + data + blocks + 40.0 * inducing * inducing)
    }

    fn work(&self, problem: &Problem) -> Option<Work> {
        let (sizes, most) = (problem.extents(), problem.settings.given.integer_of(&ITERATIONS).ok()?);
        let (typical, unsure) = if problem.settings.fixed_inducing {
            (TYPICAL_EVALUATIONS, 1.0)
        } else {
            (TYPICAL_EVALUATIONS_OF_INPUTS, UNSURE_OF_INPUTS)
        };
        let power = self.power(&problem.settings.given);
        let of_blocks = problem.settings.blocks.as_ref().map_or(0.0, work_of_blocks);
        Some(Work {
            products: operations::regression(&sizes, power) + of_blocks,
            covariances: common::covariances(&sizes),
            unsure,
            ..Work::of_minimising(typical, most)
        })
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let data = &problem.rows;
        let mut model = model(&problem, self.power(&problem.settings.given))?;
        let iterations = problem.settings.given.integer_of(&ITERATIONS)?;
        let mut options = minimise_options(iterations, &problem.settings.control);
        options.lbfgs.memory = pairs(&problem);
        let run = model.learn(data, Learning::Outer(options))?.run;
        let posterior = model.posterior(data)?.map(Functions::from);
        let mut fit = Fit::of_course(posterior, model.powers().evidence_kind(), &run);
        let over =
            |draws: &ParameterDraws| Ok(model.posterior_over_parameters(data, draws)?.map(Functions::from));
        uncertain::spread(&mut fit, &problem, over);
        Ok(fit)
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        let power = self.power(&problem.settings.given);
        super::gradients::closed_form(problem, power)
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        let power = self.power(later.given);
        let sites = ConvergedSites { power, level: Level::Projection, own: true };
        super::update::over_components(later, |later| super::update::by_sites(self.name, later, sites))
    }
}
