//! Flags without effect under `--no-train`.

use super::spec::FitSpec;
use crate::error::CliError;
use crate::method::{Given, Method, Optimizer};

/// Refuses flags without effect; settings of sites and posteriors, bounds and priors have one.
pub(super) fn check(
    spec: &FitSpec,
    method: &dyn Method,
    optimizer: Optimizer,
    given: &Given,
) -> Result<(), CliError> {
    if !spec.no_train {
        return Ok(());
    }
    let kept = "all parameters keep their values".to_owned();
    let only = format!("method {} needs it only to train parameters", method.name());
    let idle = |name: &&str| !method.is_heeded_untrained(name, optimizer, given);
    let of_method = spec.settings.names().find(idle).map(|name| (name, only.clone()));
    let of_parameters = [
        ("restarts", spec.restarts.is_some(), &kept),
        ("optimizer", spec.optimizer.is_some() && !finds_posteriors(method), &only),
    ];
    let found = of_parameters.into_iter().find(|(_, is_idle, _)| *is_idle);
    match found.map(|(name, _, why)| (name, why.clone())).or(of_method) {
        None => Ok(()),
        Some((name, why)) => Err(CliError::usage(format!(
            "--{name} makes no difference with --no-train: {why}; leave one of them out"
        ))),
    }
}

/// `true` if the optimiser also finds the posterior: converged by L-BFGS, stepped by first-order methods.
fn finds_posteriors(method: &dyn Method) -> bool {
    let optimizers = method.optimizers();
    let is_first_order = |optimizer: &Optimizer| *optimizer != Optimizer::Lbfgs;
    optimizers.iter().any(is_first_order) && !optimizers.iter().all(is_first_order)
}
