//! Separate fits of unrelated targets.

use super::super::design::PartStart;
use super::super::trained::{Trained, TrainingContext};
use crate::error::CliError;
use crate::method::{Fit, Problem, TrainingRows};
use crate::model::{Approximation, together};
use gp_likelihoods::Likelihood;

pub(in crate::fit) fn fit_apart(
    task: TrainingContext<'_>,
    (whole, parts): (&dyn Likelihood, Vec<(Problem, PartStart)>),
    sample: &TrainingRows,
    names: &[&str],
) -> Result<Trained, CliError> {
    let (mut fits, mut lines, count) = (Vec::new(), Vec::new(), parts.len());
    let (mut all_kernels, mut all_starts) = (Vec::new(), Vec::new());
    for (target, (part, start)) in parts.into_iter().enumerate() {
        let some = sample.of_target(target, count)?;
        let own = TrainingContext { target: names.get(target).copied(), ..task };
        let Trained { fit, baseline, kernels, starts, .. } = own.carry_out(part, start, &some)?;
        fits.push(fit);
        lines.extend(baseline);
        all_kernels.extend(kernels);
        all_starts.extend(starts);
    }
    let baseline = (lines.len() == count).then(|| together(&lines, whole.clone_box())).transpose()?;
    let fit = join(&fits, whole, names)?;
    Ok(Trained { fit, baseline, temperature: None, kernels: all_kernels, starts: all_starts })
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
        idle: fits.iter().flat_map(|fit| fit.idle.clone()).collect(),
    })
}

/// Sum of curves; shorter ones keep their last value.
fn summed(fits: &[Fit]) -> Vec<f64> {
    let longest = fits.iter().map(|fit| fit.curve.len()).max().unwrap_or(0);
    let at = |place: usize| {
        let each = fits.iter().filter_map(|fit| fit.curve.get(place).or(fit.curve.last()));
        each.sum()
    };
    (0..longest).map(at).collect()
}
