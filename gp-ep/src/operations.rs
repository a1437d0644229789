//! Additions and multiplications that the methods need, counted from their mathematics.
//!
//! A product of matrices counts twice its multiplications, symmetric results count once, and a reverse pass counts as much
//! as the derivatives it makes. With N rows (those of a batch, in mini-batches), M inducing inputs, D input dimensions, Q
//! latent functions seen through P processes (1 where they share one, else Q):
//!
//! | work | operations |
//! |---|---|
//! | [`exact`] regression, value and gradient | `N³ + 2 N²D` |
//! | sparse [`regression`] in closed form, value and gradient | `4 M²N + 2 M³ + 6 MND + 3 M²D` |
//! | a [`step`] of EP or of a variational bound, with its gradient | `P (6 MND + 3 M²D + 2 M²N + 4/3 M³) + Q (6 M²N + 2/3 M³)` |
//! | a [`sweep`] over the sites alone | `Q (3 M²N + 2/3 M³)` |
//! | a [`prediction`] at N rows | `P (2 MND + M²N) + Q M²N` |
//!
//! Integrals over one observation come on top, one for each row and sweep.
//!
//! [`SharedWork`] is a model of the time where several processes share the rows.

mod shared;

pub use shared::{Machine, Seconds, SharedWork};

/// Sizes of a problem with inducing inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents {
    /// N, rows, or those of a batch.
    pub rows: usize,
    /// M, inducing inputs of each process.
    pub inducing: usize,
    /// D, input dimensions.
    pub dim: usize,
    /// Q, latent functions.
    pub latents: usize,
    /// P, processes that the latent functions are seen through.
    pub processes: usize,
}

impl Extents {
    fn floats(&self) -> [f64; 5] {
        [self.rows, self.inducing, self.dim, self.latents, self.processes].map(|size| size as f64)
    }
}

/// Operations of exact regression: a factor (⅓ N³), an inverse from it (⅔ N³) and the distances of both (2 N²D).
#[must_use]
pub fn exact(rows: usize, dim: usize) -> f64 {
    let (n, d) = (rows as f64, dim as f64);
    n * n * (n + 2.0 * d)
}

/// Operations of sparse regression in closed form: a projection and a sum for the value, a solve and a sum for the gradient
/// (4 M²N), factors and their reverse pass (2 M³), distances forward and back, of rows (6 MND) and of the inducing inputs
/// among themselves (3 M²D).
#[must_use]
pub fn regression(sizes: &Extents) -> f64 {
    let [n, m, d, ..] = sizes.floats();
    4.0 * m * m * n + 2.0 * m * m * m + 6.0 * m * n * d + 3.0 * m * m * d
}

/// Operations of one process in a step: distances forward and back (6 MND + 3 M²D), a projection and its reverse pass
/// (2 M²N), factors (4/3 M³).
fn of_process([n, m, d]: [f64; 3]) -> f64 {
    6.0 * m * n * d + 3.0 * m * m * d + 2.0 * m * m * n + 4.0 / 3.0 * m * m * m
}

/// Operations of a step over rows or a batch, with its gradient: those of the processes and, for each latent function,
/// marginals, sums and their reverse pass (6 M²N) and the factor of a posterior (⅔ M³).
#[must_use]
pub fn step(sizes: &Extents) -> f64 {
    let [n, m, d, q, p] = sizes.floats();
    p * of_process([n, m, d]) + q * (6.0 * m * m * n + 2.0 / 3.0 * m * m * m)
}

/// Operations of a sweep over the sites without a gradient, of rows that are projected already: marginals and sums (3 M²N),
/// the factor of a posterior (⅔ M³).
#[must_use]
pub fn sweep(sizes: &Extents) -> f64 {
    let [n, m, _, q, _] = sizes.floats();
    q * (3.0 * m * m * n + 2.0 / 3.0 * m * m * m)
}

/// Operations of predictions: distances (2 MND), a projection (M²N) and, for each latent function, a product with the
/// factor of its posterior (M²N).
#[must_use]
pub fn prediction(sizes: &Extents) -> f64 {
    let [n, m, d, q, p] = sizes.floats();
    p * (2.0 * m * n * d + m * m * n) + q * m * m * n
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Extents = Extents { rows: 200, inducing: 100, dim: 16, latents: 1, processes: 1 };

    #[test]
    fn counts_are_those_made_by_hand() {
        // 6·100·200·16 + 3·100²·16 + 2·100²·200 + 6·100²·200 + 2·100³.
        assert!((step(&SIZES) - 20.4e6).abs() < 1.0);
        assert!((sweep(&SIZES) - (6e6 + 2.0 / 3.0 * 1e6)).abs() < 1.0);
        assert!((regression(&SIZES) - (8e6 + 2e6 + 1.92e6 + 0.48e6)).abs() < 1.0);
        assert!((exact(100, 8) - 1.16e6).abs() < 1e-6);
        assert!((prediction(&SIZES) - (0.64e6 + 4e6)).abs() < 1.0);
    }

    #[test]
    fn functions_that_share_a_process_pay_for_it_once() {
        let ten = Extents { latents: 10, processes: 10, ..SIZES };
        assert!((step(&ten) - 10.0 * step(&SIZES)).abs() < 1.0);
        let shared = Extents { processes: 1, ..ten };
        assert!((step(&ten) - step(&shared) - 9.0 * of_process([200.0, 100.0, 16.0])).abs() < 1.0);
    }
}
