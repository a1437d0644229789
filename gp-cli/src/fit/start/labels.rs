//! Initial length-scales for labels, from regression on labels as numbers.
//!
//! Regression errs about noise, not about relevant inputs, and costs less than EP.

use super::{Found, GAIN, best, better, each_lengths, exact, is_lengths, placed, quick, with_short_lengths};
use crate::error::CliError;
use crate::fit::sample::Sample;
use crate::fit::spec::FitSpec;
use crate::method::{Problem, TrainingRows};
use gp_kernels::posterior::terms;
use gp_kernels::{Kernel, KernelExt as _};
use gp_likelihoods::Gaussian;
use gp_optim::Parameter;
use std::f64::consts::TAU;

pub(super) const ROWS: usize = 500;
/// Maximum classes regressed against the rest, most frequent first.
const CLASSES: usize = 3;
/// Maximum length-scale over √D, from which training can still shorten it.
const LONGEST: f64 = 3.0;
/// Noise variance for labels of mean 0 and variance 1.
pub(super) const NOISE: f64 = 0.3;

/// Sets free length-scales to geometric means over classes; [exact regression](exact) helps where quick fits
/// explain nothing.
pub(super) fn settle(problem: &mut Problem, spec: &FitSpec, sample: &TrainingRows) -> Result<(), CliError> {
    if log_lengths(problem.kernels[0].as_ref()).is_none() {
        return Ok(());
    }
    let few = Sample::at_most(sample, ROWS, spec.seed)?.rows;
    let (points, _) = few.whole()?;
    let placed = placed(problem, &few)?;
    let own = problem.kernels[0].as_ref();
    let (short, alone) = (with_short_lengths(own), smooth_alone(own));
    let (from, noise) = ((&*problem, &placed), Gaussian::new(NOISE)?);
    let mut found = Vec::new();
    for numbers in numbers(problem, &few)? {
        let rows = TrainingRows::in_memory(points.to_owned(), numbers);
        let mut found_here = best(from, short.as_deref(), &noise, &rows)?;
        for kernel in &alone {
            found_here = more_evident(found_here, quick(from, kernel.as_ref(), noise.clone(), &rows)?);
        }
        let is_told = found_here.as_ref().is_some_and(|found| told_lengths(found, points.nrows()).is_some());
        if !is_told && let Some(kernel) = exact::learned((problem, &noise), found_here.as_ref(), spec, &rows)?
        {
            found_here = better(found_here, quick(from, kernel.as_ref(), noise.clone(), &rows)?);
        }
        found.extend(found_here);
    }
    let logs: Vec<Vec<f64>> = found.iter().filter_map(|found| told_lengths(found, points.nrows())).collect();
    let Some(first) = logs.first() else { return Ok(()) };
    let mean = |d: usize| logs.iter().map(|logs| logs[d]).sum::<f64>() / logs.len() as f64;
    let longest = if spec.kernel.is_empty() { f64::INFINITY } else { LONGEST * (first.len() as f64).sqrt() };
    let means: Vec<f64> = (0..first.len()).map(|d| mean(d).exp().min(longest)).collect();
    for kernel in &mut problem.kernels {
        let mut is_first = true;
        each_lengths(kernel.as_mut(), &mut |lengths| {
            std::mem::take(&mut is_first) && set_free(lengths, &means)
        });
    }
    Ok(())
}

/// First term alone, and with shorter length-scales; linear terms could end learning.
fn smooth_alone(kernel: &dyn Kernel) -> Vec<Box<dyn Kernel>> {
    let terms = terms(kernel);
    let Some(first) = terms.first().filter(|first| terms.len() > 1 && log_lengths(**first).is_some()) else {
        return Vec::new();
    };
    std::iter::once(first.clone_box()).chain(with_short_lengths(*first)).collect()
}

/// `later` (fewer parameters), if log evidence gains.
fn more_evident(before: Option<Found>, later: Option<Found>) -> Option<Found> {
    let least = before.as_ref().map_or(f64::NEG_INFINITY, |before| before.log_evidence + GAIN);
    later.filter(|later| later.log_evidence > least).or(before)
}

pub(super) fn fits(kernel: &dyn Kernel) -> usize {
    let own = if log_lengths(kernel).is_some() { 1 } else { return 0 };
    own + usize::from(with_short_lengths(kernel).is_some()) + smooth_alone(kernel).len()
}

/// Sets free length-scales; `false` for other columns or conflicting bounds.
fn set_free(lengths: &mut Parameter, to: &[f64]) -> bool {
    let own = lengths.values().iter().zip(to).enumerate();
    let values: Vec<f64> = own.map(|(i, (own, to))| if lengths.is_fixed(i) { *own } else { *to }).collect();
    lengths.len() == to.len() && lengths.set_values(&values).is_ok()
}

/// Log length-scales, if log evidence exceeds that of noise by a nat each.
fn told_lengths(found: &Found, rows: usize) -> Option<Vec<f64>> {
    let logs = log_lengths(found.model.process(0).kernel())?;
    let of_noise = -0.5 * rows as f64 * (1.0 + TAU.ln());
    (found.log_evidence > of_noise + logs.len() as f64).then_some(logs)
}

pub(super) fn regressions(problem: &Problem) -> usize {
    let likelihood = problem.likelihood.as_ref();
    match likelihood.latents() {
        1 => 1,
        _ => likelihood.support().classes().min(CLASSES),
    }
}

pub(super) fn log_lengths(kernel: &dyn Kernel) -> Option<Vec<f64>> {
    let mut logs = None;
    kernel.for_each_parameter(&mut |parameter| {
        if logs.is_none() && is_lengths(parameter) {
            logs = Some(parameter.values().iter().map(|length| length.ln()).collect());
        }
    });
    logs
}

/// Standardised labels; unordered classes one against the rest.
pub(super) fn numbers(problem: &Problem, rows: &TrainingRows) -> Result<Vec<Vec<f64>>, CliError> {
    let labels = rows.column(0)?;
    let likelihood = problem.likelihood.as_ref();
    if likelihood.latents() == 1 {
        return Ok(standardised(labels).into_iter().collect());
    }
    let count = |class: usize| labels.iter().filter(|label| **label == class as f64).count();
    let mut classes: Vec<usize> = (0..likelihood.support().classes()).collect();
    classes.sort_by_key(|&class| std::cmp::Reverse(count(class)));
    let one = |class: usize| labels.iter().map(|label| f64::from(*label == class as f64)).collect();
    Ok(classes.into_iter().take(CLASSES).filter_map(|class| standardised(one(class))).collect())
}

fn standardised(mut numbers: Vec<f64>) -> Option<Vec<f64>> {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count;
    numbers.iter_mut().for_each(|number| *number = (*number - mean) / variance.sqrt());
    (variance > 0.0).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::standardised;

    #[test]
    fn equal_numbers_tell_nothing() {
        assert_eq!(standardised(vec![1.0, -1.0, 1.0, -1.0]), Some(vec![1.0, -1.0, 1.0, -1.0]));
        assert_eq!(standardised(vec![2.0, 4.0]), Some(vec![-1.0, 1.0]));
        assert_eq!(standardised(vec![3.0; 4]), None);
        assert_eq!(standardised(Vec::new()), None);
    }
}
