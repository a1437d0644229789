//! Initial length-scales √D of kernels given without any.
//!
//! Standardised rows are about √(2D) apart: at the library's 1, covariances vanish and learning ends in noise.

use crate::fit::conditions;
use crate::fit::spec::FitSpec;
use gp_kernels::{Kernel, KernelExt as _};

pub(super) const LENGTH_SCALE: &str = "lengthscale";

pub(super) fn are_open(spec: &FitSpec) -> bool {
    !spec.kernel.is_empty() && !conditions::is_given(LENGTH_SCALE, spec)
}

/// Starts free length-scales at √(number of columns), unless `--kernel` gives one.
pub(in crate::fit) fn start_open(spec: &FitSpec, kernels: &mut [Box<dyn Kernel>], dim: usize) {
    if !are_open(spec) {
        return;
    }
    for kernel in kernels {
        let mut lengths = kernel.length_columns(dim).into_iter();
        kernel.for_each_parameter_mut(&mut |parameter| {
            let columns = lengths.next().flatten();
            let is_free = parameter.name() == LENGTH_SCALE && parameter.free_len() == parameter.len();
            if let Some(columns) = columns.filter(|_| is_free) {
                let start = vec![(columns.len() as f64).sqrt(); parameter.len()];
                // Bounds may exclude it; then the start is within them already.
                let _ = parameter.set_values(&start);
            }
        });
    }
}

pub(super) fn has_free(kernel: &dyn Kernel) -> bool {
    let mut is_free = false;
    kernel.for_each_parameter(&mut |parameter| {
        is_free |= parameter.name() == LENGTH_SCALE && parameter.free_len() > 0;
    });
    is_free
}
