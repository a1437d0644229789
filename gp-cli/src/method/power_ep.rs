//! Model and power of EP methods.

use super::common;
use super::defaults::DefaultCase;
use super::given::Given;
use super::outcome::Fit;
use super::problem::Problem;
use super::setting::Setting;
use super::uncertain;
use crate::error::{CliError, ErrorKind};
use crate::left_out::counted;
use crate::model::Functions;
use gp_ep::power_ep::{Convergence, Level};
use gp_ep::{ParameterDraws, PowerEp};
use gp_likelihoods::Likelihood;

pub(super) const EP: &str = "ep";

/// EP where it converges, else a safer power. Shared latents get the bound: one site per output cannot
/// express coupling.
pub(super) const ALPHA: Setting = common::ALPHA.default_by_case(&[LOG_CONCAVE, CAUTIOUS, TARGETS, BOUND]);
pub(super) const LOG_CONCAVE: DefaultCase<f64> = DefaultCase::new(1.0, "for a log-concave likelihood");
const CAUTIOUS: DefaultCase<f64> = DefaultCase::new(0.5, "for another likelihood");
const TARGETS: DefaultCase<f64> = DefaultCase::new(0.5, "for several targets");
const BOUND: DefaultCase<f64> = DefaultCase::new(0.0, "for targets that share latent functions");

pub(super) fn no_latent() -> CliError {
    CliError::new(ErrorKind::Usage, "the likelihood has no latent function")
}

pub(super) fn model(problem: &Problem, level: Level) -> Result<PowerEp, CliError> {
    let model = PowerEp::new(problem.shared_processes()?, problem.likelihood.clone())?;
    let model = model.with_reduction(problem.reduction());
    Ok(model.with_powers(problem.settings.powers_or(power(problem))).with_level(level))
}

pub(super) fn power(problem: &Problem) -> f64 {
    given_power(&problem.settings.given, problem.likelihood.as_ref())
}

pub(super) fn given_power(given: &Given, likelihood: &dyn Likelihood) -> f64 {
    let case = match (shares_latents(likelihood), likelihood.is_log_concave()) {
        (true, _) => BOUND,
        (false, true) => LOG_CONCAVE,
        (false, false) => CAUTIOUS,
    };
    given.number_in(&ALPHA, case)
}

pub(crate) fn power_of_targets(likelihood: &dyn Likelihood) -> f64 {
    if shares_latents(likelihood) { BOUND.value() } else { TARGETS.value() }
}

pub(super) fn shares_latents(likelihood: &dyn Likelihood) -> bool {
    likelihood.targets() > 1 && likelihood.own_latent(0).is_none()
}

/// Averages predictions over parameters, as [`uncertain::spread`].
pub(super) fn over_parameters(fit: &mut Fit, model: &PowerEp, problem: &Problem) {
    let data = &problem.rows;
    let over =
        |draws: &ParameterDraws| Ok(model.posterior_over_parameters(data, draws)?.map(Functions::from));
    uncertain::spread(fit, problem, over);
}

pub(super) fn convergence_warnings(convergence: &Convergence, warnings: &mut Vec<String>) {
    if !convergence.converged {
        let (sweeps, change) = (convergence.sweeps, convergence.last.change);
        warnings.push(format!(
            "EP did not converge in {} (last change {change:.1e} of a marginal)",
            counted(sweeps, "sweep")
        ));
    }
    if convergence.last.improper > 0 {
        let count = convergence.last.improper;
        warnings.push(format!("{count} sites have no proper cavity; a smaller --alpha is safer"));
    }
}
