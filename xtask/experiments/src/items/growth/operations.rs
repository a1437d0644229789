//! Multiply-adds of an evaluation, by `gp_ep::operations`.

use super::Sizes;
use gp_ep::operations::{self, Extents};

fn of_one(sizes: &Sizes, rows: usize) -> Extents {
    Extents { rows, inducing: sizes.inducing, dim: sizes.dim, latents: 1, processes: 1 }
}

/// Closed-form sparse regression, value and gradient.
pub(super) fn regression(sizes: &Sizes) -> f64 {
    operations::regression(&of_one(sizes, sizes.rows))
}

/// Exact regression, value and gradient.
pub(super) fn exact(sizes: &Sizes) -> f64 {
    operations::exact(sizes.rows, sizes.dim)
}

pub(super) fn prediction(sizes: &Sizes) -> f64 {
    operations::prediction(&of_one(sizes, sizes.new))
}

/// Batch step, with one process for C functions.
pub(super) fn shared(sizes: &Sizes) -> f64 {
    operations::step(&Extents { latents: sizes.classes, ..of_one(sizes, sizes.batch) })
}

/// Batch step, with one process for each of C functions.
pub(super) fn each(sizes: &Sizes) -> f64 {
    let one = of_one(sizes, sizes.batch);
    operations::step(&Extents { latents: sizes.classes, processes: sizes.classes, ..one })
}

/// Bytes of memory traffic: every new active row moves 24 bytes per component of the earlier stubs.
pub(super) fn active_set(sizes: &Sizes) -> f64 {
    let [n, c, a] = [sizes.rows, sizes.classes, sizes.active].map(|size| size as f64);
    24.0 * n * c * a * a / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_costs_the_same_shared_or_not() {
        let sizes = Sizes::read("B=200;M=100;D=16;C=1");
        assert_eq!(shared(&sizes), each(&sizes));
    }
}
