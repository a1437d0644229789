//! Targets that have nothing to do with each other, one by one.

use super::super::observed::Observed;
use super::super::run::{Trained, train};
use super::super::spec::FitSpec;
use crate::error::CliError;
use crate::method::{Fit, Method, Problem, Rows};
use crate::model::{Approximation, together};
use crate::stages::Stages;
use gp_likelihoods::Likelihood;

/// Each of several targets alone, where each has a latent function and a kernel of its own; nothing where they share one.
pub(in crate::fit) fn parts(observed: &Observed, spec: &FitSpec) -> Vec<Observed> {
    if observed.others.is_empty() || spec.kernel.len() == 1 {
        return Vec::new();
    }
    let alone = |(output, target): (usize, &crate::model::FurtherTarget)| {
        let own = observed.likelihood.own_latent(output)?;
        Some(Observed {
            task: observed.task,
            reason: observed.reason.clone(),
            target: target.target.clone(),
            roles: observed.roles.clone(),
            weight: target.rows as f64,
            summary: target.summary.clone(),
            rows: target.rows,
            others: Vec::new(),
            likelihood: own.likelihood,
        })
    };
    let all = observed.targets();
    all.iter().enumerate().map(alone).collect::<Option<_>>().unwrap_or_default()
}

/// Fits the parts of a problem one after the other, each on its part of a sample too, and puts them together.
///
/// # Errors
/// Those of a fit.
pub(in crate::fit) fn fit_apart(
    method: &dyn Method,
    (whole, parts): (&dyn Likelihood, Vec<Problem>),
    spec: &FitSpec,
    sample: &Rows,
    (names, stages): (&[&str], &Stages),
) -> Result<Trained, CliError> {
    let (mut fits, mut lines, count) = (Vec::new(), Vec::new(), parts.len());
    for (target, part) in parts.into_iter().enumerate() {
        let some = sample.of_target(target, count)?;
        let of = names.get(target).map_or_else(String::new, |name| format!(" of {name}"));
        let Trained { fit, baseline, .. } = train(method, part, spec, &some, (&of, stages), None)?;
        fits.push(fit);
        lines.extend(baseline);
    }
    let baseline = (lines.len() == count).then(|| together(&lines, whole.clone_box())).transpose()?;
    Ok(Trained { fit: join(&fits, whole, names)?, baseline, starts: None })
}

fn join(fits: &[Fit], whole: &dyn Likelihood, names: &[&str]) -> Result<Fit, CliError> {
    let posteriors: Vec<Approximation> = fits.iter().map(|fit| fit.posterior.clone()).collect();
    let reasons = fits.iter().zip(names).map(|(fit, name)| format!("{name}: {}", fit.reason));
    let warning = |(fit, name): (&Fit, &&str)| {
        fit.warnings.iter().map(|warning| format!("target {name}: {warning}")).collect::<Vec<_>>()
    };
    let alike = fits.iter().all(|fit| fit.reason == fits[0].reason);
    Ok(Fit {
        posterior: together(&posteriors, whole.clone_box())?,
        objective: fits.iter().map(|fit| fit.objective).sum(),
        objective_kind: fits[0].objective_kind,
        converged: fits.iter().all(|fit| fit.converged),
        reason: if alike { fits[0].reason.clone() } else { reasons.collect::<Vec<_>>().join("; ") },
        iterations: fits.iter().map(|fit| fit.iterations).sum(),
        curve: summed(fits),
        warnings: fits.iter().zip(names).flat_map(warning).collect(),
    })
}

/// The sum of all curves; one that has ended stays where it ended.
fn summed(fits: &[Fit]) -> Vec<f64> {
    let longest = fits.iter().map(|fit| fit.curve.len()).max().unwrap_or(0);
    let at = |place: usize| {
        let each = fits.iter().filter_map(|fit| fit.curve.get(place).or(fit.curve.last()));
        each.sum()
    };
    (0..longest).map(at).collect()
}
