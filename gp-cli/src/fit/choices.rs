//! Method, optimiser and settings.

use super::observed::Observed;
use super::parameters::{self, INDUCING, WINDOWS, is_fixed};
use super::spec::FitSpec;
use super::streaming;
use super::untrained;
use crate::context::Context;
use crate::encode::{Role, Roles};
use crate::error::CliError;
use crate::method::{ALPHA, Case, Given, Method, Methods, Optimizer, RepresentedBy, Settings};
use gp_likelihoods::Likelihood;
use gp_optim::Control;
use std::borrow::Cow;
use std::sync::Arc;

pub(super) fn resolved<'a>(
    spec: &'a FitSpec,
    context: &Context,
    likelihood: &dyn Likelihood,
) -> Result<Cow<'a, FitSpec>, CliError> {
    if spec.is_auto() {
        return Ok(Cow::Borrowed(spec));
    }
    let asked = context.methods.find(&spec.method)?;
    let given = spec.settings.checked(asked.settings())?;
    Ok(match asked.counterpart(likelihood, &given) {
        None => Cow::Borrowed(spec),
        Some((name, mut settings)) => {
            // A column of powers replaces the default power.
            if spec.alpha_column.is_some() && !spec.settings.has(ALPHA.name()) {
                settings.remove(ALPHA.name());
            }
            Cow::Owned(FitSpec { method: name.to_owned(), settings, ..spec.clone() })
        }
    })
}

/// Requested or default method, with reason.
pub(super) fn choose_method(
    spec: &FitSpec,
    context: &Context,
    observed: &Observed,
    rows: usize,
    streamed: bool,
) -> Result<(Arc<dyn Method>, String), CliError> {
    if !spec.is_auto() {
        let method = context.methods.find(&spec.method)?;
        return match method.objection(observed.likelihood.as_ref()) {
            None => Ok((method, "of --method".to_owned())),
            Some(objection) => Err(CliError::usage(format!("method {}: {objection}", method.name()))),
        };
    }
    let inducing = spec.inducing.is_some() || !spec.inducing_file.is_empty() || spec.windows.is_some();
    let likelihood = observed.likelihood.as_ref();
    let case = Case { likelihood, rows, streamed, inducing, given: &spec.settings };
    let default = |method: &Arc<dyn Method>| method.is_default(&case).map(|why| (method.clone(), why));
    let roles = &observed.roles;
    let has_all = |method: &&Arc<dyn Method>| {
        let has = |name: &str| method.settings().iter().any(|setting| setting.name() == name);
        spec.settings.names().all(has) && roles.iter().all(|(role, _)| method.supports(role))
    };
    let found = context.methods.iter().filter(has_all).find_map(default);
    // If no method has all settings, the default method refuses them.
    found
        .or_else(|| context.methods.iter().find_map(default))
        .ok_or_else(|| CliError::usage("no method is the default for these data; choose one with --method"))
}

/// N Q per target above which mini-batches are default.
const MANY_LATENT_VALUES: usize = 20_000;

pub(super) fn choose_optimizer(
    spec: &FitSpec,
    context: &Context,
    method: &dyn Method,
    likelihood: &dyn Likelihood,
    (rows, streamed): (usize, bool),
) -> Result<Optimizer, CliError> {
    let mut known = method.optimizers().to_vec();
    if streamed {
        streaming::check(method, spec.optimizer, &context.methods)?;
        known.retain(|&optimizer| method.takes_streams(optimizer));
    }
    match spec.optimizer {
        None => {
            let mut preferred = known.clone();
            let several = likelihood.latents() > 1 && likelihood.targets() == 1;
            let many = rows.saturating_mul(likelihood.latents()) > MANY_LATENT_VALUES;
            let in_batches = method.batch_size(&spec.settings, Optimizer::Adam).is_some();
            // Without log-concavity, sites of several latents converge slowly or not at all; Adam moves
            // parameters between sweeps.
            if several && (!likelihood.is_log_concave() || (many && in_batches)) {
                preferred.sort_by_key(|&optimizer| optimizer != Optimizer::Adam);
            }
            let supports_all = |optimizer: &&Optimizer| unused_flag(spec, method, **optimizer).is_none();
            let found = preferred.iter().find(supports_all).or(known.first()).copied();
            found.ok_or_else(|| CliError::usage(format!("method {} names no optimizer", method.name())))
        }
        Some(optimizer) if known.contains(&optimizer) => Ok(optimizer),
        Some(optimizer) => {
            let names: Vec<String> = known.iter().map(ToString::to_string).collect();
            let (method, names) = (method.name(), names.join(", "));
            Err(CliError::usage(format!(
                "method {method} does not work with --optimizer {optimizer}, but with {names}"
            )))
        }
    }
}

fn unused_flag(spec: &FitSpec, method: &dyn Method, optimizer: Optimizer) -> Option<String> {
    let supports = |name: &str| {
        let own = method.settings().iter().find(|setting| setting.name() == name);
        own.is_some_and(|setting| setting.is_used_by(optimizer))
    };
    let seen = method.represented_by();
    let (rows, placed) = (seen == RepresentedBy::Rows, seen == RepresentedBy::InducingInputs);
    let of_places = [
        ("inducing", rows && spec.inducing.is_some()),
        ("inducing-file", !placed && !spec.inducing_file.is_empty()),
        ("placement", !placed && spec.placement.is_some()),
        ("windows", !placed && spec.windows.is_some()),
        ("fix inducing", !placed && is_fixed(spec, INDUCING)),
        ("fix windows", spec.windows.is_none() && is_fixed(spec, WINDOWS)),
    ];
    let of_method = spec.settings.names().filter(|name| !supports(name));
    let all = of_method.chain(of_places.into_iter().filter(|(_, idle)| *idle).map(|(name, _)| name));
    all.map(|name| format!("--{name}")).next()
}

pub(super) fn check_roles(
    roles: &Roles,
    spec: &FitSpec,
    method: &dyn Method,
    methods: &Methods,
) -> Result<(), CliError> {
    if roles.column(Role::AlphaColumn).is_some() && spec.settings.has(ALPHA.name()) {
        return Err(CliError::usage("--alpha and --alpha-column both say the power; leave one of them out"));
    }
    let Some((role, _)) = roles.iter().find(|(role, _)| !method.supports(*role)) else { return Ok(()) };
    let able: Vec<&str> =
        methods.iter().filter(|method| method.supports(role)).map(|method| method.name()).collect();
    let (name, flag, able) = (method.name(), role.flag(), able.join(", "));
    if share_a_kernel(spec) {
        return Err(CliError::usage(format!(
            "targets that share a kernel are fitted by {name}, which takes no {flag}; give --kernel once for each target, or leave it out"
        )));
    }
    Err(CliError::usage(format!("method {name} takes no {flag}; those that do are {able}")))
}

fn share_a_kernel(spec: &FitSpec) -> bool {
    spec.target.len() > 1 && spec.kernel.len() == 1
}

pub(super) fn check_settings(
    spec: &FitSpec,
    method: &dyn Method,
    optimizer: Optimizer,
) -> Result<Given, CliError> {
    if let Some(flag) = unused_flag(spec, method, optimizer) {
        let name = method.name();
        return Err(CliError::usage(format!(
            "{flag} makes no difference to method {name} with {optimizer}; leave it out"
        )));
    }
    let given = spec.settings.checked(method.settings())?;
    untrained::check(spec, method, optimizer, &given)?;
    Ok(given)
}

pub(super) fn check_temperature(spec: &FitSpec, likelihood: &dyn Likelihood) -> Result<(), CliError> {
    if spec.temperature.is_none() || likelihood.support().classes() > 0 {
        return Ok(());
    }
    let name = likelihood.name();
    Err(CliError::usage(format!("--temperature is of class probabilities, and {name} observes no classes")))
}

pub(super) fn settings(spec: &FitSpec, may_move: bool) -> Settings {
    Settings {
        control: Control::new().with_time_limit(spec.time_limit),
        seed: spec.seed,
        fixed_inducing: parameters::fixes_inducing(spec, may_move),
        fixed_windows: is_fixed(spec, WINDOWS),
        ..Settings::default()
    }
}
