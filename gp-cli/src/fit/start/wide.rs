//! Start for numbers with many inputs: one length-scale, or one each.
//!
//! One each must gain [`GAIN`] nats per input in quick fits: functions of few inputs gained 0.3 to 30,
//! noise at most 0.1.

use super::shared::{change, one_each};
use super::{Found, LENGTH_SCALE, best, better, exact, placed, quick, start_from, with_short_lengths};
use crate::error::CliError;
use crate::fit::kernels::{ARD_INPUTS, is_affordable};
use crate::fit::sample::Sample;
use crate::fit::spec::FitSpec;
use crate::method::{Problem, TrainingRows};
use gp_ep::DataSource as _;
use gp_kernels::Kernel;

/// Minimum evidence gain of ARD, nats per input.
const GAIN: f64 = 0.25;
/// Number of quick fits; exact regression counts as two.
pub(super) const FITS: usize = 5;

/// ARD kernel, if a default kernel of numbers has one length-scale for many inputs.
pub(super) fn own_lengths(problem: &Problem, spec: &FitSpec) -> Option<Box<dyn Kernel>> {
    let mut is_one = false;
    change(problem.kernels[0].clone_box().as_mut(), LENGTH_SCALE, &mut |length| {
        is_one = !length.is_vector();
    });
    let (rows, dim) = (problem.rows.count(), problem.sizes().dim);
    let is_of_numbers = problem.likelihood.gaussian_noise().is_some() && problem.kernels.len() == 1;
    let is_wide = dim > ARD_INPUTS && is_affordable(rows, dim);
    let is_wanted = spec.kernel.is_empty() && is_one && is_of_numbers && is_wide;
    is_wanted.then(|| one_each(problem.kernels[0].as_ref(), dim).ok()).flatten()
}

/// Starts from the better quick fit, shared or `own` length-scales.
pub(super) fn settle(
    problem: &mut Problem,
    own: Box<dyn Kernel>,
    spec: &FitSpec,
    (sample, all_rows): (&TrainingRows, bool),
) -> Result<(), CliError> {
    let Some(noise) = problem.likelihood.gaussian_noise() else { return Ok(()) };
    let few = Sample::at_most(sample, super::ROWS, spec.seed)?.rows;
    let placed = placed(problem, &few)?;
    let one = quick((&*problem, &placed), problem.kernels[0].as_ref(), noise.clone(), &few)?;
    let wide = Problem { kernels: vec![own], ..problem.clone() };
    let (from, kernel) = ((&wide, &placed), wide.kernels[0].as_ref());
    let mut each = best(from, with_short_lengths(kernel).as_deref(), noise, &few)?;
    if let Some(kernel) = exact::learned((&wide, noise), each.as_ref(), spec, sample)? {
        each = better(each, quick(from, kernel.as_ref(), noise.clone(), &few)?);
    }
    let known = one.as_ref().map_or(f64::NEG_INFINITY, |one| one.log_evidence);
    let least = known + GAIN * problem.sizes().dim as f64;
    let is_better = |each: &Found| each.log_evidence > least;
    match (each.filter(is_better), one) {
        (Some(each), _) => start_from(problem, &each),
        // Methods of all rows get to the result of the first quick fit themselves.
        (None, Some(one)) if !all_rows => start_from(problem, &one),
        _ => Ok(()),
    }
}
