//! Method, optimiser and settings: those that were asked for, and the usual ones.

use super::parameters;
use super::plan::{GAUSSIAN, usage};
use super::spec::{AUTO, Coupling, Covariance, FitSpec, Sites};
use super::streamed;
use super::task::Observed;
use crate::error::CliError;
use crate::method::{self, Method, Optimizer, Setting, Settings};
use gp_optim::Control;

/// Exact regression up to so many rows.
const EXACT_ROWS: usize = 2_000;
/// All of the data at every step of the optimiser up to so many rows of Gaussian noise; beyond, mini-batches.
const BATCH_ROWS: usize = 100_000;
/// Sites for all observations up to so many rows times latent functions; beyond, mini-batches.
const EP_SITES: usize = 20_000;

/// The method asked for, or the usual one for the likelihood, the number of rows and where these are; and why.
pub(super) fn choose_method(
    spec: &FitSpec,
    observed: &Observed,
    rows: usize,
    streamed: bool,
) -> Result<(&'static dyn Method, String), CliError> {
    if spec.method != AUTO {
        let method = method::find(&spec.method)?;
        return match method.objection(observed.likelihood.as_ref()) {
            None => Ok((method, "as asked".to_owned())),
            Some(objection) => Err(usage(format!("method {}: {objection}", method.name()))),
        };
    }
    let gaussian = observed.likelihood.name() == GAUSSIAN;
    let wants_inducing = spec.inducing.is_some() || !spec.inducing_file.is_empty() || spec.alpha.is_some();
    let wants_batches = spec.batch_size.is_some() || spec.epochs.is_some() || spec.sites.is_some();
    let (name, why) = if streamed {
        ("sep", "mini-batches need no rows in memory".to_owned())
    } else if wants_batches {
        ("sep", "batches were asked for".to_owned())
    } else if gaussian && rows <= EXACT_ROWS && !wants_inducing {
        ("exact", format!("the noise is Gaussian and {rows} rows are few"))
    } else if gaussian && rows <= BATCH_ROWS {
        ("pep", "the noise is Gaussian, and inducing inputs make many rows affordable".to_owned())
    } else if !gaussian && rows * observed.likelihood.latents() <= EP_SITES {
        ("ep", format!("the likelihood is not Gaussian, and {rows} rows fit into memory"))
    } else {
        ("sep", format!("{rows} rows are many, and mini-batches do not mind"))
    };
    Ok((method::find(name)?, why))
}

/// The one asked for, or the usual one that heeds all that was asked for. Sites of several latents come to rest slowly, so
/// that parameters had better move meanwhile.
pub(super) fn choose_optimizer(
    spec: &FitSpec,
    method: &dyn Method,
    latents: usize,
    streamed: bool,
) -> Result<Optimizer, CliError> {
    let mut known = method.optimizers().to_vec();
    if streamed {
        streamed::check(method, spec.optimizer)?;
        known.retain(|&optimizer| method.batch_size(optimizer).is_some());
    }
    match spec.optimizer {
        None => {
            let mut usual = known.clone();
            usual.sort_by_key(|&optimizer| latents > 1 && optimizer != Optimizer::Adam);
            let heeds_all = |optimizer: &&Optimizer| unheeded(spec, method, **optimizer).is_none();
            Ok(usual.iter().find(heeds_all).copied().unwrap_or(known[0]))
        }
        Some(optimizer) if known.contains(&optimizer) => Ok(optimizer),
        Some(optimizer) => {
            let names: Vec<String> = known.iter().map(ToString::to_string).collect();
            let (method, names) = (method.name(), names.join(", "));
            Err(usage(format!(
                "method {method} does not work with --optimizer {optimizer}, but with {names}"
            )))
        }
    }
}

/// A flag that was given and makes no difference.
fn unheeded(spec: &FitSpec, method: &dyn Method, optimizer: Optimizer) -> Option<&'static str> {
    let asked = [
        ("--alpha", Setting::Alpha, spec.alpha.is_some()),
        ("--sites", Setting::Sites, spec.sites.is_some()),
        ("--components", Setting::Components, spec.components.is_some()),
        ("--covariance", Setting::Covariance, spec.covariance.is_some()),
        ("--samples", Setting::Samples, spec.samples.is_some()),
        ("--coupling", Setting::Coupling, spec.coupling.is_some()),
        ("--inducing", Setting::Count, spec.inducing.is_some()),
        ("--inducing-file", Setting::Inducing, !spec.inducing_file.is_empty()),
        ("--placement", Setting::Inducing, spec.placement.is_some()),
        ("--fix inducing", Setting::Inducing, spec.fix.iter().any(|name| name == "inducing")),
        ("--iterations", Setting::Iterations, spec.iterations.is_some()),
        ("--epochs", Setting::Epochs, spec.epochs.is_some()),
        ("--batch-size", Setting::BatchSize, spec.batch_size.is_some()),
        ("--time-limit", Setting::TimeLimit, spec.time_limit.is_some()),
    ];
    asked
        .into_iter()
        .find(|(_, setting, given)| *given && !method.heeds(*setting, optimizer))
        .map(|(flag, ..)| flag)
}

/// Refuses what was asked for and would make no difference.
pub(super) fn check_settings(
    spec: &FitSpec,
    method: &dyn Method,
    optimizer: Optimizer,
) -> Result<(), CliError> {
    if let Some(flag) = unheeded(spec, method, optimizer) {
        let name = method.name();
        return Err(usage(format!(
            "{flag} makes no difference to method {name} with {optimizer}; leave it out"
        )));
    }
    match spec.alpha {
        Some(alpha) if !(0.0..=1.0).contains(&alpha) => {
            Err(usage(format!("--alpha {alpha} is not between 0 and 1")))
        }
        _ => Ok(()),
    }
}

/// What was said, as methods take it.
pub(super) fn settings(spec: &FitSpec, optimizer: Optimizer, may_move: bool) -> Settings {
    Settings {
        alpha: spec.alpha,
        tied: spec.sites.map(|sites| sites == Sites::Tied),
        optimizer: Some(optimizer),
        iterations: spec.iterations,
        epochs: spec.epochs,
        batch_size: spec.batch_size,
        active: None,
        components: spec.components,
        diagonal: spec.covariance.map(|covariance| covariance == Covariance::Diagonal),
        samples: spec.samples,
        coupled: spec.coupling.map(|coupling| coupling == Coupling::Coupled),
        control: Control::new().with_time_limit(spec.time_limit),
        seed: spec.seed,
        fixed_inducing: parameters::fixes_inducing(spec, may_move),
    }
}
