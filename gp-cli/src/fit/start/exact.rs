//! Kernels learned by exact regression on some rows, as starts for quick fits.
//!
//! With many inputs and few rows, sparse objectives fit noise without priors; with priors, they miss fast changes
//! along one input. Exact evidence, started from the best single input, avoids both.

use super::{Found, ITERATIONS, aside, is_lengths};
use crate::error::CliError;
use crate::fit::interrupt::check_interrupt;
use crate::fit::sample::Sample;
use crate::fit::spec::FitSpec;
use crate::method::{Problem, TrainingRows, minimise_options};
use gp_ep::{ExactGp, Inference as _, Learning};
use gp_kernels::{Kernel, KernelExt as _};
use gp_likelihoods::Gaussian;
use gp_optim::{Control, ParameterSet as _, ParameterSetMut as _};

/// Maximum rows: learning, trying inputs.
pub(super) const ROWS: usize = 500;
const FEW_ROWS: usize = 300;
/// Length-scales along one input, and others, in standard deviations.
const SHORT: [f64; 3] = [0.1, 0.3, 1.0];
const LONG: f64 = 30.0;
const INPUTS: usize = 64;

/// `false` for given kernels of all-row methods, which learn the same way.
pub(super) fn is_wanted(spec: &FitSpec, all_rows: bool) -> bool {
    spec.kernel.is_empty() || !all_rows
}

/// First kernel, by exact regression without priors; `None` unless better than quick fits by a nat per free parameter.
pub(super) fn learned(
    (problem, noise): (&Problem, &Gaussian),
    found: Option<&Found>,
    spec: &FitSpec,
    sample: &TrainingRows,
) -> Result<Option<Box<dyn Kernel>>, CliError> {
    let rows = Sample::at_most(sample, ROWS, spec.seed)?.rows;
    let kernel = problem.kernels[0].as_ref();
    let free = without_priors(kernel)?;
    let known =
        found.and_then(|Found { model, .. }| evidence(model.process(0).kernel(), model.noise(), &rows));
    let known = known.unwrap_or(f64::NEG_INFINITY);
    let control = &problem.settings.control;
    let few = Sample::at_most(&rows, FEW_ROWS, spec.seed)?.rows;
    let of_one = one_input(free.as_ref(), noise, &few, control)?;
    let start = of_one
        .filter(|one| evidence(one.as_ref(), noise, &rows).is_some_and(|of_one| of_one > known))
        .unwrap_or(free);
    let mut gp = ExactGp::new(start, noise.clone());
    let how = Learning::Outer(minimise_options(ITERATIONS, &aside(control)));
    let is_learned = gp.learn(&rows, how).is_ok();
    check_interrupt(control)?;
    let least = known + gp.free_count() as f64;
    let is_better =
        is_learned && evidence(gp.kernel(), gp.noise(), &rows).is_some_and(|learned| learned > least);
    let mut found = ExactGp::new(kernel.clone_box(), noise.clone());
    // A prior may exclude the values.
    let is_set = is_better && found.set_parameter_values(&gp.parameter_values()).is_ok();
    Ok(is_set.then(|| found.kernel().clone_box()))
}

/// Kernel with one relevant input, by evidence over [`SHORT`]; `None` without ARD or for many inputs.
fn one_input(
    kernel: &dyn Kernel,
    noise: &Gaussian,
    rows: &TrainingRows,
    control: &Control,
) -> Result<Option<Box<dyn Kernel>>, CliError> {
    let mut best: Option<(f64, Box<dyn Kernel>)> = None;
    for input in 0..lengths(kernel) {
        for length in SHORT {
            let one = alone(kernel, input, length);
            let found = evidence(one.as_ref(), noise, rows);
            if let Some(found) = found.filter(|found| best.as_ref().is_none_or(|(most, _)| found > most)) {
                best = Some((found, one));
            }
            check_interrupt(control)?;
        }
    }
    Ok(best.map(|(_, kernel)| kernel))
}

/// Sets the first ARD length-scales: `length` along `input`, else long; bounded values stay.
fn alone(kernel: &dyn Kernel, input: usize, length: f64) -> Box<dyn Kernel> {
    let (mut one, mut is_done) = (kernel.clone_box(), false);
    one.for_each_parameter_mut(&mut |parameter| {
        if is_done || !is_lengths(parameter) {
            return;
        }
        is_done = true;
        for place in 0..parameter.len() {
            if !parameter.is_fixed(place) {
                let _ = parameter.set(place, if place == input { length } else { LONG });
            }
        }
    });
    one
}

fn lengths(kernel: &dyn Kernel) -> usize {
    let mut count = 0;
    kernel.for_each_parameter(&mut |parameter| {
        if count == 0 && is_lengths(parameter) {
            count = parameter.len();
        }
    });
    if count > INPUTS { 0 } else { count }
}

fn evidence(kernel: &dyn Kernel, noise: &Gaussian, rows: &TrainingRows) -> Option<f64> {
    let gp = ExactGp::new(kernel.clone_box(), noise.clone());
    Some(gp.log_evidence(rows).ok()?.value)
}

fn without_priors(kernel: &dyn Kernel) -> Result<Box<dyn Kernel>, CliError> {
    let (mut free, mut done) = (kernel.clone_box(), Ok(()));
    free.for_each_parameter_mut(&mut |parameter| {
        let removed = parameter.set_prior(None);
        if done.is_ok() {
            done = removed;
        }
    });
    done?;
    Ok(free)
}
