//! Initial length-scales of kernels that are given without any.
//!
//! The 1 of the library is short for many inputs: standardised rows are about √(2D) apart, all covariances are
//! nearly 0, and learning ends at once with pure noise. The default kernel starts at √D; so do these.

use crate::fit::conditions;
use crate::fit::spec::FitSpec;
use gp_kernels::{Kernel, KernelExt as _};

/// Name of length-scales.
pub(super) const LENGTH_SCALE: &str = "lengthscale";

/// `true` if kernels are given, none of them with a length-scale.
pub(super) fn are_open(spec: &FitSpec) -> bool {
    !spec.kernel.is_empty() && !conditions::is_given(LENGTH_SCALE, spec)
}

/// Starts free length-scales at the square root of their number of columns, unless `--kernel` gives one.
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
