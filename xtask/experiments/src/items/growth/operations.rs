//! Multiply-adds of an evaluation, by `gp_ep::operations`.

use super::Sizes;
use gp_ep::ivm::IvmOptions;
use gp_ep::operations::{self, Extents};

fn of_one(sizes: &Sizes, rows: usize) -> Extents {
    Extents { rows, inducing: sizes.inducing, dim: sizes.dim, latents: 1, processes: 1 }
}

pub(super) fn regression(sizes: &Sizes) -> f64 {
    operations::regression(&of_one(sizes, sizes.rows), 0.0)
}

pub(super) fn exact(sizes: &Sizes) -> f64 {
    operations::exact(sizes.rows, sizes.dim)
}

pub(super) fn prediction(sizes: &Sizes) -> f64 {
    operations::prediction(&of_one(sizes, sizes.new))
}

/// EP batch step: C latents, one process.
pub(super) fn shared(sizes: &Sizes) -> f64 {
    operations::step(&Extents { latents: sizes.classes, ..of_one(sizes, sizes.batch) })
}

/// EP batch step: C latents and processes.
pub(super) fn each(sizes: &Sizes) -> f64 {
    let one = of_one(sizes, sizes.batch);
    operations::step(&Extents { latents: sizes.classes, processes: sizes.classes, ..one })
}

/// Variational batch step: C latents, one process.
pub(super) fn bound(sizes: &Sizes) -> f64 {
    operations::bound(&Extents { latents: sizes.classes, ..of_one(sizes, sizes.batch) })
}

/// A active rows, coupled classes: per inclusion, C solves for N/L (at least 50) candidates.
pub(super) fn active_set(sizes: &Sizes) -> f64 {
    let candidates = (sizes.rows / IvmOptions::default().liquid).max(50).min(sizes.rows);
    (sizes.classes * candidates) as f64 * (sizes.active as f64).powi(3)
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
