//! Regression through inducing inputs in closed form: Power EP, and its limits VFE and FITC.

use super::exact::{gaussian, objection_unless_gaussian};
use super::optimizer::minimise_options;
use super::update::Sites;
use super::{Fit, GradientCheck, Later, Method, Optimizer, Problem, Setting, Sizes, Updated};
use crate::error::CliError;
use crate::model::{Approximation, ObjectiveKind, Posterior};
use gp_ep::power_ep::Level;
use gp_ep::{Observations, Powers, SparseRegression};
use gp_likelihoods::Likelihood;

/// Power EP under Gaussian noise at its fixed point.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClosedForm {
    name: &'static str,
    summary: &'static str,
    /// The power, where it is not for people to choose.
    power: Option<f64>,
}

/// Iterations unless asked otherwise.
const ITERATIONS: u64 = 300;
/// The power unless asked otherwise: half way is seed 001's advice.
const POWER: f64 = 0.5;

impl ClosedForm {
    pub(super) const PEP: Self = Self {
        name: "pep",
        summary: "Power EP with inducing inputs; for Gaussian noise in closed form",
        power: None,
    };
    pub(super) const VFE: Self =
        Self { name: "vfe", summary: "the variational bound with inducing inputs", power: Some(0.0) };
    pub(super) const FITC: Self = Self {
        name: "fitc",
        summary: "regression by fully independent training conditionals",
        power: Some(1.0),
    };
}

impl Method for ClosedForm {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn heeds(&self, setting: Setting, _optimizer: Optimizer) -> bool {
        match setting {
            Setting::Alpha => self.power.is_none(),
            Setting::Inducing | Setting::Count | Setting::Iterations | Setting::TimeLimit => true,
            _ => false,
        }
    }

    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Lbfgs]
    }

    fn objection(&self, likelihood: &dyn Likelihood) -> Option<String> {
        objection_unless_gaussian(likelihood)
            .map(|objection| format!("{objection}; take method ep with --alpha"))
    }

    fn memory(&self, sizes: Sizes) -> f64 {
        let (rows, inducing) = (sizes.rows as f64, sizes.inducing as f64);
        8.0 * (rows * (inducing + sizes.dim as f64) + 40.0 * inducing * inducing)
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let noise = gaussian(problem.likelihood.as_ref())?;
        let (points, targets) = problem.rows.whole()?;
        let data = Observations::new(points, targets)?;
        let process = problem.processes()?.into_iter().next().ok_or_else(super::power_ep::no_latent)?;
        let power = self.power.or(problem.settings.alpha).unwrap_or(POWER);
        let mut model = SparseRegression::new(process, noise, Powers::Same(power));
        let iterations = problem.settings.iterations.unwrap_or(ITERATIONS);
        let training = model.train(&data, &minimise_options(iterations, &problem.settings.control))?;
        let posterior = model.condition(&data)?;
        let latents = vec![Posterior::Inducing(Box::new(posterior.latent().clone()))];
        let kind = if power == 0.0 { ObjectiveKind::LowerBound } else { ObjectiveKind::Estimate };
        let approximation = Approximation::new(latents, Box::new(model.noise().clone()));
        Ok(Fit::of_training(approximation, kind, &training))
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        let power = self.power.or(problem.settings.alpha).unwrap_or(POWER);
        super::gradients::closed_form(problem, power)
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        let power = self.power.or(later.alpha).unwrap_or(POWER);
        super::update::by_sites(self.name, later, Sites { power, level: Level::Projection, own: true })
    }
}
