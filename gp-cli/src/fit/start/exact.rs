//! Kernels that exact regression learns from some rows, to start quick fits from.
//!
//! With many inputs and few rows, sparse objectives of kernels without priors have optima where short length-scales fit
//! noise. Priors prevent that, and also keep learning from functions that change fast along one input: all length-scales
//! have to shrink before the others can grow again. The exact evidence without priors is misled by neither, and a few
//! hundred rows cost little time.

use super::{Found, ITERATIONS, aside};
use crate::error::CliError;
use crate::fit::interrupt::check_interrupt;
use crate::fit::sample::Sample;
use crate::fit::spec::FitSpec;
use crate::method::{Problem, TrainingRows, minimise_options};
use gp_ep::{ExactGp, Inference as _, Learning};
use gp_kernels::{Kernel, KernelExt as _};
use gp_likelihoods::Gaussian;
use gp_optim::ParameterSet as _;

/// Maximum number of rows.
pub(super) const ROWS: usize = 500;

/// `true` if exact regression precedes the quick fits: always, except that methods of all rows learn given kernels
/// in the same way themselves.
pub(super) fn is_wanted(spec: &FitSpec, all_rows: bool) -> bool {
    spec.kernel.is_empty() || !all_rows
}

/// The problem's first kernel, learned by exact regression without priors. None if that fails, or if the result of
/// quick fits is about as good on the same rows: by one nat per free parameter, which may have been learned from noise.
///
/// # Errors
/// As [`settle`](super::settle).
pub(super) fn learned(
    (problem, noise): (&Problem, &Gaussian),
    found: Option<&Found>,
    spec: &FitSpec,
    sample: &TrainingRows,
) -> Result<Option<Box<dyn Kernel>>, CliError> {
    let rows = Sample::at_most(sample, ROWS, spec.seed)?.rows;
    let mut kernel = problem.kernels[0].clone_box();
    let mut gp = ExactGp::new(without_priors(kernel.as_ref())?, noise.clone());
    let control = &problem.settings.control;
    let how = Learning::Outer(minimise_options(ITERATIONS, &aside(control)));
    let is_learned = gp.learn(&rows, how).is_ok();
    check_interrupt(control)?;
    let known = found.and_then(|Found { model, .. }| {
        let known = ExactGp::new(model.process(0).kernel().clone_box(), model.noise().clone());
        Some(known.log_evidence(&rows).ok()?.value)
    });
    let least = known.unwrap_or(f64::NEG_INFINITY) + gp.free_count() as f64;
    let is_better = is_learned && gp.log_evidence(&rows).is_ok_and(|learned| learned.value > least);
    let is_set = is_better && set_values(kernel.as_mut(), &gp.kernel().parameter_values());
    Ok(is_set.then_some(kernel))
}

/// Sets all parameters; `false` if a prior excludes a value.
fn set_values(kernel: &mut dyn Kernel, values: &[f64]) -> bool {
    let (mut rest, mut is_set) = (values, true);
    kernel.for_each_parameter_mut(&mut |parameter| {
        let (own, others) = rest.split_at(parameter.len());
        is_set &= parameter.set_values(own).is_ok();
        rest = others;
    });
    is_set
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
