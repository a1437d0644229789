//! Fixed marks, bounds and priors by parameter name.

use super::spec::{FitSpec, LengthUnits};
use crate::encode::Inputs;
use crate::error::CliError;
use crate::lengths::four_digits;
use gp_kernels::{Kernel, KernelExt};
use gp_likelihoods::Likelihood;
use gp_optim::{Parameter, Prior, Transform};

/// Name of inducing inputs in `--fix`.
pub(super) const INDUCING: &str = "inducing";
/// Name of window widths in `--fix`.
pub(super) const WINDOWS: &str = "windows";
/// Name of no parameter in `--fix`.
const NOTHING: &str = "none";

/// Applies `--fix`, `--bound`, `--prior` and `--no-train`. Lengths are in the units chosen by `--units`.
///
/// # Errors
/// [`Usage`](ErrorKind::Usage) for unknown names and impossible values.
pub(super) fn apply(
    spec: &FitSpec,
    kernels: &mut [Box<dyn Kernel>],
    likelihood: &mut dyn Likelihood,
    inputs: &Inputs,
) -> Result<(), CliError> {
    let dim = inputs.dim();
    for name in spec.fix.iter().filter(|name| ![INDUCING, WINDOWS, NOTHING].contains(&name.as_str())) {
        change((name.as_str(), dim), kernels, likelihood, &|parameter, _| {
            parameter.fix_all(true);
            Ok(())
        })?;
    }
    for text in &spec.bound {
        let (name, ends) = split(text, "--bound")?;
        let transform = bounds(ends).ok_or_else(|| {
            CliError::usage(format!(
                "--bound {text}: `{ends}` is not a range; write LO..HI, such as 0.1..10, 0.1.. or ..10"
            ))
        })?;
        change((name, dim), kernels, likelihood, &|parameter, columns| {
            let factor = factor(spec, inputs, columns, &format!("--bound {text}"))?;
            parameter
                .set_transform(transform.scaled(factor))
                .map_err(|cause| CliError::usage(format!("--bound {text}: {cause}")))
        })?;
    }
    for text in &spec.prior {
        let (name, prior) = split(text, "--prior")?;
        let prior: Prior =
            prior.parse().map_err(|cause| CliError::usage(format!("--prior {text}: {cause}")))?;
        change((name, dim), kernels, likelihood, &|parameter, columns| {
            let factor = factor(spec, inputs, columns, &format!("--prior {text}"))?;
            parameter
                .set_prior(Some(prior.scaled(factor)))
                .map_err(|cause| CliError::usage(format!("--prior {text}: {cause}")))
        })?;
    }
    if spec.no_train {
        for name in ["kernel", "likelihood"] {
            change((name, dim), kernels, likelihood, &|parameter, _| {
                parameter.fix_all(true);
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Refuses `--fix`, `--bound` and `--prior` of kernel parameters if the kernel is searched for.
///
/// # Errors
/// [`Usage`](ErrorKind::Usage).
pub(super) fn check_without_kernel(spec: &FitSpec) -> Result<(), CliError> {
    let named = |text: &String| text.split('=').next().unwrap_or_default().to_owned();
    let fixed = spec.fix.iter().map(|name| ("fix", name.clone()));
    let bound = spec.bound.iter().map(|text| ("bound", named(text)));
    let expected = spec.prior.iter().map(|text| ("prior", named(text)));
    let mut all = fixed.chain(bound).chain(expected);
    let is_known =
        |name: &str| [INDUCING, NOTHING, "likelihood"].contains(&name) || name.starts_with("likelihood.");
    match all.find(|(_, name)| !is_known(name)) {
        None => Ok(()),
        Some((flag, name)) => Err(CliError::usage(format!(
            "--{flag} {name} is about a parameter of the kernel, and --search chooses the kernel itself; write likelihood.{name} if it is a parameter of the likelihood, otherwise give the kernel with --kernel instead of --search"
        ))),
    }
}

/// `true` if inducing inputs are fixed: by `--fix`, or by default if the method cannot move them.
pub(super) fn fixes_inducing(spec: &FitSpec, may_move: bool) -> bool {
    spec.no_train
        || if spec.fix.is_empty() { !may_move } else { spec.fix.iter().any(|name| name == INDUCING) }
}

/// Unit factor of a given number: 1 unless it is a length along these columns in their units.
fn factor(spec: &FitSpec, inputs: &Inputs, columns: Option<&[usize]>, said: &str) -> Result<f64, CliError> {
    let (Some(columns), LengthUnits::Data) = (columns, spec.units) else { return Ok(1.0) };
    let (names, units) = (inputs.column_names(), inputs.units());
    let Some(unit) = columns.first().and_then(|column| units.get(*column)) else { return Ok(1.0) };
    let Some(other) = columns.iter().copied().find(|column| units.get(*column) != Some(unit)) else {
        return Ok(1.0 / unit);
    };
    let (first, own) = (&names[columns[0]], four_digits(*unit));
    let (second, other) = (&names[other], four_digits(units[other]));
    Err(CliError::usage(format!(
        "{said}: this parameter is shared by inputs of different scales, such as {first} ({own}) and {second} ({other}); give each input a kernel term of its own with dims=[…], or give the value in units of the model with --units model"
    )))
}

/// Change of one parameter, given the columns it is a length along.
type Change<'a> = &'a dyn Fn(&mut Parameter, Option<&[usize]>) -> Result<(), CliError>;

/// Changes all parameters with a name, or all of `kernel` or `likelihood`.
fn change(
    (name, dim): (&str, usize),
    kernels: &mut [Box<dyn Kernel>],
    likelihood: &mut dyn Likelihood,
    apply: Change<'_>,
) -> Result<(), CliError> {
    if name == "likelihood" {
        return likelihood.parameters_mut().iter_mut().try_for_each(|parameter| apply(parameter, None));
    }
    let of_likelihood = name.strip_prefix("likelihood.").unwrap_or(name);
    if let Some(parameter) = likelihood.parameters_mut().iter_mut().find(|known| {
        known.name() == of_likelihood
            && (name != of_likelihood || kernels.iter().all(|kernel| kernel.get(name).is_err()))
    }) {
        return apply(parameter, None);
    }
    for kernel in kernels {
        change_kernel((name, dim), kernel.as_mut(), likelihood, apply)?;
    }
    Ok(())
}

fn change_kernel(
    (name, dim): (&str, usize),
    kernel: &mut dyn Kernel,
    likelihood: &dyn Likelihood,
    apply: Change<'_>,
) -> Result<(), CliError> {
    let wanted = name.strip_prefix("kernel.").unwrap_or(name);
    let names = kernel.parameter_names();
    let stem = |full: &str| full.split_once('[').map_or(full.to_owned(), |(stem, _)| stem.to_owned());
    let matches = |full: &str| {
        let full = stem(full);
        name == "kernel"
            || full == wanted
            || full.strip_suffix(wanted).is_some_and(|front| front.ends_with('.'))
    };
    if !names.iter().any(|full| matches(full)) {
        let of_likelihood =
            likelihood.parameters().iter().map(|parameter| format!("likelihood.{}", parameter.name()));
        let available: Vec<String> = names.into_iter().chain(of_likelihood).collect();
        return Err(CliError::usage(format!(
            "there is no parameter `{name}`; the parameters are {}",
            available.join(", ")
        )));
    }
    let (mut place, mut outcome) = (0, Ok(()));
    let mut lengths = kernel.length_columns(dim).into_iter();
    kernel.for_each_parameter_mut(&mut |parameter| {
        let columns = lengths.next().flatten();
        if outcome.is_ok() && names.get(place).is_some_and(|full| matches(full)) {
            outcome = apply(parameter, columns.as_deref());
        }
        place += parameter.len();
    });
    outcome
}

fn split<'t>(text: &'t str, flag: &str) -> Result<(&'t str, &'t str), CliError> {
    text.split_once('=').ok_or_else(|| {
        CliError::usage(format!("{flag} {text}: write the name of a parameter, `=` and a value"))
    })
}

/// Parses `0.1..10`, `0.1..`, `..10`.
fn bounds(text: &str) -> Option<Transform> {
    let (lo, hi) = text.split_once("..")?;
    let end = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
    Some(match (end(lo)?, end(hi)?) {
        (Some(lo), Some(hi)) => Transform::Interval { lo, hi },
        (Some(lo), None) => Transform::Above { lo },
        (None, Some(hi)) => Transform::Below { hi },
        (None, None) => Transform::Identity,
    })
}
