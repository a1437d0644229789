//! Sums, products, multiples and column selections of kernels.

mod active_dims;
mod product;
mod scaled;
mod sum;

pub use active_dims::ActiveDims;
pub use product::Product;
pub use scaled::Scaled;
pub use sum::Sum;

use std::ops::{Add, Mul};

use crate::error::KernelError;
use crate::expression::Form;
use crate::kernel::Kernel;
use crate::tree::parameter_count;

fn nothing_in(kernel: &str) -> KernelError {
    KernelError::Setting {
        kernel: kernel.to_owned(),
        setting: "number of kernels",
        allowed: "at least 1".to_owned(),
        found: "0".to_owned(),
    }
}

fn flattened(form: Form, kernels: Vec<Box<dyn Kernel>>) -> Vec<Box<dyn Kernel>> {
    let inside = |kernel: Box<dyn Kernel>| {
        if kernel.form() == form { kernel.children().to_vec() } else { vec![kernel] }
    };
    kernels.into_iter().flat_map(inside).collect()
}

impl Add for Box<dyn Kernel> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Sum::of_some(vec![self, other])
    }
}

impl Mul for Box<dyn Kernel> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Product::of_some(vec![self, other])
    }
}

/// Calls `body(place, child, parameter range)` from `start` on.
fn with_ranges<'k>(
    children: &'k [Box<dyn Kernel>],
    start: usize,
    mut body: impl FnMut(usize, &'k dyn Kernel, std::ops::Range<usize>),
) {
    let mut from = start;
    for (i, child) in children.iter().enumerate() {
        let to = from + parameter_count(child.as_ref());
        body(i, child.as_ref(), from..to);
        from = to;
    }
}
