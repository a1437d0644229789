//! Kernels of given form that exact regression learns from some rows, to start quick fits from.
//!
//! Given kernels have no priors. With many inputs and few rows, sparse objectives then have optima where short
//! length-scales fit noise. The exact evidence is less misled, and a few hundred rows cost it little time.

use super::ITERATIONS;
use crate::error::CliError;
use crate::fit::interrupt::check_interrupt;
use crate::fit::sample::Sample;
use crate::fit::spec::FitSpec;
use crate::method::{Problem, TrainingRows, minimise_options};
use gp_ep::{ExactGp, Inference as _, Learning};
use gp_kernels::Kernel;
use gp_likelihoods::Gaussian;

/// Maximum number of rows.
pub(super) const ROWS: usize = 500;

/// `true` if exact regression precedes the quick fits: sparse methods with a given kernel.
pub(super) fn is_wanted(spec: &FitSpec, all_rows: bool) -> bool {
    !spec.kernel.is_empty() && !all_rows
}

/// The problem's first kernel, learned by exact regression; None if that fails.
///
/// # Errors
/// As [`settle`](super::settle).
pub(super) fn learned(
    problem: &Problem,
    spec: &FitSpec,
    noise: &Gaussian,
    sample: &TrainingRows,
) -> Result<Option<Box<dyn Kernel>>, CliError> {
    let rows = Sample::at_most(sample, ROWS, spec.seed)?.rows;
    let mut gp = ExactGp::new(problem.kernels[0].clone_box(), noise.clone());
    let control = &problem.settings.control;
    let how = Learning::Outer(minimise_options(ITERATIONS, &super::aside(control)));
    let is_learned = gp.learn(&rows, how).is_ok();
    check_interrupt(control)?;
    Ok(is_learned.then(|| gp.kernel().clone_box()))
}
