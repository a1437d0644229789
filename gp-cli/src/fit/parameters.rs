//! Applies `--fix`, `--bound`, `--prior` and `--no-train` to named parameters.

use super::conditions::{self, Condition};
use super::spec::FitSpec;
use crate::encode::Inputs;
use crate::error::CliError;
use gp_kernels::{Kernel, KernelExt, Registry};
use gp_likelihoods::Likelihood;
use gp_optim::{Parameter, did_you_mean};

pub(super) const INDUCING: &str = "inducing";
pub(super) const WINDOWS: &str = "windows";
/// Word of `--fix` that frees parameters fixed by default.
const NOTHING: &str = "none";

/// Parameter name, as given and with aliases replaced.
struct Name<'t> {
    given: &'t str,
    canonical: String,
}

impl<'t> Name<'t> {
    fn new(given: &'t str, known: &Registry) -> Self {
        let Some((kernels, last)) = given.rsplit_once('.') else {
            return Self { given, canonical: given.to_owned() };
        };
        let kernels: Vec<String> = kernels.split('.').map(|part| default_part(part, known)).collect();
        Self { given, canonical: format!("{}.{last}", kernels.join(".")) }
    }

    fn is(&self, word: &str) -> bool {
        self.canonical.eq_ignore_ascii_case(word)
    }

    fn behind(&self, front: &str) -> &str {
        match self.canonical.split_once('.') {
            Some((first, rest)) if first.eq_ignore_ascii_case(front) => rest,
            _ => &self.canonical,
        }
    }
}

/// Part without aliases: `rbf2` for `se2`.
fn default_part(part: &str, known: &Registry) -> String {
    let stem = part.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let canonical = |name: &str| known.named(name).ok().map(|entry| entry.name());
    match (canonical(part), canonical(stem)) {
        (Some(name), _) => name.to_owned(),
        (None, Some(name)) => format!("{name}{}", &part[stem.len()..]),
        (None, None) => part.to_owned(),
    }
}

pub(super) fn is_fixed(spec: &FitSpec, word: &str) -> bool {
    spec.fix.iter().any(|name| name.eq_ignore_ascii_case(word))
}

pub(super) fn apply(
    spec: &FitSpec,
    kernels: &mut [Box<dyn Kernel>],
    likelihood: &mut dyn Likelihood,
    (inputs, known): (&Inputs, &Registry),
) -> Result<(), CliError> {
    if spec.no_train && is_fixed(spec, NOTHING) {
        return Err(CliError::usage(
            "--no-train keeps all parameters, and --fix none trains inducing points; leave one of them out",
        ));
    }
    let dim = inputs.dim();
    let fixed = spec.fix.iter().map(|name| Name::new(name, known));
    let of_all = ["kernel", "likelihood"].map(|name| Name::new(name, known));
    let fixed = fixed.filter(|name| ![INDUCING, WINDOWS, NOTHING].iter().any(|word| name.is(word)));
    for name in fixed.chain(of_all.into_iter().filter(|_| spec.no_train)) {
        change((&name, dim), kernels, likelihood, &|parameter, _| {
            parameter.fix_all(true);
            Ok(())
        })?;
    }
    for text in &spec.bound {
        let (name, ends) = split(text, "--bound")?;
        let said = format!("--bound {text}");
        let condition = Condition::bound(ends, &said)?;
        put((&Name::new(name, known), condition, &said), spec, kernels, likelihood, inputs)?;
    }
    for text in &spec.prior {
        let (name, prior) = split(text, "--prior")?;
        let said = format!("--prior {text}");
        let condition = Condition::prior(prior, &said)?;
        put((&Name::new(name, known), condition, &said), spec, kernels, likelihood, inputs)?;
    }
    Ok(())
}

fn put(
    (name, condition, said): (&Name<'_>, Condition, &str),
    spec: &FitSpec,
    kernels: &mut [Box<dyn Kernel>],
    likelihood: &mut dyn Likelihood,
    inputs: &Inputs,
) -> Result<(), CliError> {
    change((name, inputs.dim()), kernels, likelihood, &|parameter, columns| {
        let factors = conditions::factors(parameter, spec, inputs, columns, said)?;
        condition.put(parameter, &factors, (said, conditions::is_given(parameter.name(), spec)))
    })
}

pub(super) fn check_without_kernel(spec: &FitSpec) -> Result<(), CliError> {
    let named = |text: &String| text.split('=').next().unwrap_or_default().to_owned();
    let fixed = spec.fix.iter().map(|name| ("fix", name.clone()));
    let bound = spec.bound.iter().map(|text| ("bound", named(text)));
    let expected = spec.prior.iter().map(|text| ("prior", named(text)));
    let mut all = fixed.chain(bound).chain(expected);
    let is_known = |name: &str| {
        let front = name.split('.').next().unwrap_or_default();
        let is = |word: &str| name.eq_ignore_ascii_case(word);
        is(INDUCING) || is(NOTHING) || front.eq_ignore_ascii_case("likelihood")
    };
    match all.find(|(_, name)| !is_known(name)) {
        None => Ok(()),
        Some((flag, name)) => Err(CliError::usage(format!(
            "--{flag} {name} is about a parameter of the kernel, and --search chooses the kernel itself; write likelihood.{name} if it is a parameter of the likelihood, otherwise give the kernel with --kernel instead of --search"
        ))),
    }
}

/// `true` for `--no-train`, `--fix inducing`, or by default (not `may_move`) without `--fix none`.
pub(super) fn fixes_inducing(spec: &FitSpec, may_move: bool) -> bool {
    spec.no_train || is_fixed(spec, INDUCING) || !(may_move || is_fixed(spec, NOTHING))
}

/// Second argument: columns of a length-scale.
type Change<'a> = &'a dyn Fn(&mut Parameter, Option<&[usize]>) -> Result<(), CliError>;

/// Changes parameters by name; `kernel` and `likelihood` name all of theirs.
fn change(
    (name, dim): (&Name<'_>, usize),
    kernels: &mut [Box<dyn Kernel>],
    likelihood: &mut dyn Likelihood,
    apply: Change<'_>,
) -> Result<(), CliError> {
    if name.is("likelihood") {
        return likelihood.parameters_mut().iter_mut().try_for_each(|parameter| apply(parameter, None));
    }
    let of_likelihood = name.behind("likelihood");
    let mut parameters = likelihood.parameters_mut().iter_mut();
    if let Some(parameter) = parameters.find(|known| known.name().eq_ignore_ascii_case(of_likelihood)) {
        let names = kernels.iter().flat_map(|kernel| kernel.parameter_names());
        let of_kernel =
            names.map(|full| stem(&full).to_owned()).find(|full| is_called(full, &name.canonical));
        return match of_kernel.filter(|_| name.is(of_likelihood)) {
            None => apply(parameter, None),
            Some(of_kernel) => Err(CliError::usage(format!(
                "`{0}` is the name of a parameter of the likelihood and of the kernel; write likelihood.{0} or {of_kernel}",
                name.given
            ))),
        };
    }
    for kernel in kernels {
        change_kernel((name, dim), kernel.as_mut(), likelihood, apply)?;
    }
    Ok(())
}

fn stem(full: &str) -> &str {
    full.split_once('[').map_or(full, |(stem, _)| stem)
}

/// `true` for a full name or its last parts.
fn is_called(full: &str, name: &str) -> bool {
    let end = full.len().checked_sub(name.len()).and_then(|start| full.split_at_checked(start));
    end.is_some_and(|(front, end)| {
        end.eq_ignore_ascii_case(name) && (front.is_empty() || front.ends_with('.'))
    })
}

fn change_kernel(
    (name, dim): (&Name<'_>, usize),
    kernel: &mut dyn Kernel,
    likelihood: &dyn Likelihood,
    apply: Change<'_>,
) -> Result<(), CliError> {
    let wanted = name.behind("kernel");
    let names = kernel.parameter_names();
    let matches = |full: &str| name.is("kernel") || is_called(stem(full), wanted);
    if !names.iter().any(|full| matches(full)) {
        return Err(unknown(name.given, &names, likelihood));
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

fn unknown(name: &str, of_kernel: &[String], likelihood: &dyn Likelihood) -> CliError {
    let of_likelihood = likelihood.parameters().iter().map(|known| format!("likelihood.{}", known.name()));
    let of_kernel = of_kernel.iter().map(|full| stem(full).to_owned());
    let mut known: Vec<String> = of_kernel.chain(of_likelihood).collect();
    known.dedup();
    // The last part of a name is accepted too.
    let parts = known.iter().filter_map(|name| Some(name.rsplit_once('.')?.1));
    let meant = did_you_mean(name, known.iter().map(String::as_str).chain(parts));
    CliError::usage(format!("there is no parameter `{name}`; the parameters are {}{meant}", known.join(", ")))
}

fn split<'t>(text: &'t str, flag: &str) -> Result<(&'t str, &'t str), CliError> {
    text.split_once('=').ok_or_else(|| {
        CliError::usage(format!("{flag} {text}: write the name of a parameter, `=` and a value"))
    })
}
