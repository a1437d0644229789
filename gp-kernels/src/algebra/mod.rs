//! Kernels made of kernels: sums, products, scales, and kernels that see only some columns.

mod active_dims;
mod product;
mod scaled;
mod sum;

pub use active_dims::ActiveDims;
pub use product::Product;
pub use scaled::Scaled;
pub use sum::Sum;

use crate::kernel::Kernel;
use crate::tree::parameter_count;

/// Calls `body` with each child and the range of its parameters among those of all children.
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
