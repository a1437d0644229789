//! `gp diagnose`: compares training gradients with finite differences.

use super::inspect::WIDEST;
use super::{print_json, warn};
use crate::context::Context;
use crate::data::TableChoice;
use crate::encode::class_labels;
use crate::error::{CliError, ErrorKind};
use crate::fit::{self, FitSpec, Plan};
use crate::latents;
use crate::left_out::counted;
use crate::method::{GradientCheck, Problem, RepresentedBy};
use crate::notes::Notes;
use crate::out;
use gp_likelihoods::Likelihood;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

/// Default inducing or active points: few, as each coordinate is checked.
const INDUCING: usize = 6;
const INDUCING_INPUTS: &str = "inducing";

/// Options of `gp diagnose`.
#[derive(Clone, Debug, clap::Args)]
pub struct DiagnoseOptions {
    /// Table to fit; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Model to fit
    #[command(flatten)]
    pub spec: FitSpec,
    /// Number of random rows for the comparison
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(2..))]
    pub rows: u32,
    /// Relative error above which a gradient disagrees with its finite difference
    #[arg(long, value_name = "SHARE", default_value_t = 1e-3)]
    pub tolerance: f64,
    /// Table to read
    #[command(flatten)]
    pub choice: TableChoice,
    /// Configuration file; flags take precedence
    #[arg(long, value_name = "TOML")]
    pub config: Option<PathBuf>,
    /// Print every derivative as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Remark on flags without effect here.
fn idle_flags(spec: &FitSpec) -> Option<String> {
    let lengths = ["iterations", "epochs"].map(|name| (name, spec.settings.has(name)));
    let others = [("time-limit", spec.time_limit.is_some()), ("temperature", spec.temperature.is_some())];
    let given = lengths.into_iter().chain(others).filter(|(_, is_given)| *is_given);
    let names: Vec<String> = given.map(|(name, _)| format!("--{name}")).collect();
    let verb = if names.len() == 1 { "makes" } else { "make" };
    (!names.is_empty()).then(|| {
        format!("{} {verb} no difference to gp diagnose, which looks at the default start", names.join(", "))
    })
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct DerivativeRow<'a> {
    parameter: String,
    values: usize,
    worst: &'a GradientCheck,
}

/// Prints derivatives by parameter.
///
/// # Errors
/// [`Numerical`](ErrorKind::Numerical) above the tolerance, after printing; any other failure.
pub fn run(
    options: &DiagnoseOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let (restarts, search) = (options.spec.restarts.is_some(), options.spec.search.is_some());
    let idle = [("--restarts", restarts), ("--search", search)];
    if let Some((flag, _)) = idle.iter().find(|(_, is_given)| *is_given) {
        let message = format!(
            "{flag} makes no difference to gp diagnose, which looks at the default start; leave it out"
        );
        return Err(CliError::usage(message));
    }
    idle_flags(&options.spec).iter().for_each(|line| notes.say(format_args!("{line}")));
    let plan = plan(options, context)?;
    plan.notes.iter().for_each(|line| notes.say(format_args!("{line}")));
    warn(notes, &plan.warnings);
    let sizes = plan.problem.sizes();
    let method = plan.method.name();
    let inducing = match sizes.inducing {
        0 => String::new(),
        count => format!(" with {}", counted(count, "inducing point")),
    };
    let seen = counted(sizes.rows, "row");
    notes.say(format_args!("gradients of method {method} at the start of training, on {seen}{inducing}"));
    let checks = gradients(&plan)?;
    // `total_cmp` makes NaN a disagreement.
    let disagrees = |check: &&GradientCheck| check.relative_error.total_cmp(&options.tolerance).is_gt();
    let wrong: Vec<&GradientCheck> = checks.iter().filter(disagrees).collect();
    let rows = rows(&checks);
    if options.json {
        let agree = wrong.is_empty();
        print_json(
            out,
            &serde_json::json!({
                "method": method, "rows": sizes.rows, "inducing": sizes.inducing, "tolerance": options.tolerance,
                "agree": agree, "parameters": rows, "gradients": checks,
            }),
        )?;
    } else {
        out::print(out, table(&rows).as_bytes())?;
    }
    let Some(worst) = wrong.iter().max_by(|a, b| a.relative_error.total_cmp(&b.relative_error)) else {
        return Ok(());
    };
    let message = format!(
        "{} of {} gradients of method {method} disagree with differences, {} by {:.1e} of its size",
        wrong.len(),
        checks.len(),
        worst.parameter,
        worst.relative_error
    );
    Err(CliError::new(ErrorKind::Numerical, message))
}

/// Derivatives; those of independent targets have prefixes.
fn gradients(plan: &Plan) -> Result<Vec<GradientCheck>, CliError> {
    let named = |of: &str, problem: &Problem, check: GradientCheck| {
        let parameter = format!("{of}{}", as_fixed(&check.parameter, problem.likelihood.as_ref()));
        GradientCheck { parameter, ..check }
    };
    let Some(parts) = plan.problem.parts()? else {
        let all = plan.method.gradients(&plan.problem)?;
        return Ok(all.into_iter().map(|check| named("", &plan.problem, check)).collect());
    };
    let mut all = Vec::new();
    for (part, of) in parts.iter().zip(plan.observed.targets()) {
        let of = format!("{}: ", of.target.name);
        all.extend(plan.method.gradients(part)?.into_iter().map(|check| named(&of, part, check)));
    }
    Ok(all)
}

/// Name as in `--fix`; latents in parentheses if several.
fn as_fixed(name: &str, likelihood: &dyn Likelihood) -> String {
    let (of, own) = match name.strip_prefix("latent[").and_then(|rest| rest.split_once("].")) {
        Some((latent, own)) => (Some(latent), own),
        None => (None, name),
    };
    let (of, own) = match own.strip_prefix("kernel[").and_then(|rest| rest.split_once("].")) {
        Some((latent, own)) => (Some(latent), own),
        None => (of, own),
    };
    let own = own.strip_prefix("kernel.").unwrap_or(own);
    let own = match own.split_once(['.', '[']) {
        Some(("noise", value)) => format!("likelihood.{value}"),
        Some(("z", place)) => format!("{INDUCING_INPUTS}[{place}"),
        _ => own.to_owned(),
    };
    match of.and_then(|latent| latent.parse().ok()) {
        Some(latent) => format!("{own} (function {})", latents::name(likelihood, latent)),
        None => own,
    }
}

/// Plan for sampled rows, by the method of the full fit.
fn plan(options: &DiagnoseOptions, context: &Context) -> Result<Plan, CliError> {
    let (frame, _) = fit::read(&options.data, &options.choice, &options.spec, &context.formats)?;
    let (mut spec, _) = fit::settled(&frame, &options.spec, context)?;
    let whole = Plan::new(&frame, &spec, context)?;
    whole.method.name().clone_into(&mut spec.method);
    if whole.method.represented_by() != RepresentedBy::Rows && spec.inducing_file.is_empty() {
        spec.inducing = spec.inducing.or(Some(INDUCING));
    }
    let wanted = usize::try_from(options.rows).unwrap_or(usize::MAX).min(frame.row_count());
    let mut rng = ChaCha8Rng::seed_from_u64(spec.seed);
    let mut rows = rand::seq::index::sample(&mut rng, frame.row_count(), wanted).into_vec();
    rows.sort_unstable();
    let some = frame.rows(&rows)?;
    // Some labels may be absent from the sample.
    let present = class_labels(some.require(&[spec.target()?])?[0]);
    spec.order.retain(|label| present.contains(label));
    let plan = Plan::new(&some, &spec, context)?;
    plan.check_memory(context.budget(), 1)?;
    Ok(plan)
}

fn rows(checks: &[GradientCheck]) -> Vec<DerivativeRow<'_>> {
    let mut rows: Vec<DerivativeRow<'_>> = Vec::new();
    for check in checks {
        let stem = stem(&check.parameter);
        match rows.last_mut().filter(|row| row.parameter == stem) {
            Some(row) => {
                row.values += 1;
                if check.relative_error.total_cmp(&row.worst.relative_error).is_gt() {
                    row.worst = check;
                }
            }
            None => rows.push(DerivativeRow { parameter: stem, values: 1, worst: check }),
        }
    }
    rows
}

fn stem(name: &str) -> String {
    let (own, function) = name.split_once(" (").unwrap_or((name, ""));
    let front = if own.ends_with(']') { own.rsplit_once('[').map_or(own, |(stem, _)| stem) } else { own };
    if function.is_empty() { front.to_owned() } else { format!("{front} ({function}") }
}

fn table(rows: &[DerivativeRow<'_>]) -> String {
    let width = rows.iter().map(|row| row.parameter.chars().count()).max().unwrap_or(0).clamp(9, WIDEST);
    let mut text = format!(
        "{:<width$}  {:>6}  {:>13}  {:>13}  {:>14}\n",
        "parameter", "values", "gradient", "difference", "relative error"
    );
    for DerivativeRow { parameter, values, worst } in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{parameter:<width$}  {values:>6}  {:>13.6e}  {:>13.6e}  {:>14.1e}",
            worst.gradient, worst.difference, worst.relative_error
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_flags() {
        let unnamed = gp_likelihoods::Softmax::new(2).unwrap();
        for (name, expected, of_all) in [
            ("kernel.rbf.lengthscale[2]", "rbf.lengthscale[2]", "rbf.lengthscale"),
            ("noise.variance", "likelihood.variance", "likelihood.variance"),
            ("z[3]", "inducing[3]", "inducing"),
            ("latent[1].z[0]", "inducing[0] (function 2)", "inducing (function 2)"),
            ("kernel[0].scale.variance", "scale.variance (function 1)", "scale.variance (function 1)"),
            ("posterior[0].mean[1]", "posterior[0].mean[1]", "posterior[0].mean"),
        ] {
            let found = as_fixed(name, &unnamed);
            assert_eq!((found.as_str(), stem(&found).as_str()), (expected, of_all));
        }
        let of_noise = as_fixed("latent[1].z[0]", &gp_likelihoods::Heteroscedastic);
        assert_eq!(of_noise, "inducing[0] (function log variance)");
    }
}
