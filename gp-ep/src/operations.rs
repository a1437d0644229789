//! Floating-point operations, by formulas.
//!
//! A matrix product counts two operations per multiplication, a symmetric one half; integrals over single observations
//! count none. N rows (of the batch), M inducing inputs, D input dimensions, Q latents, P processes (1 if shared, else
//! Q):
//!
//! | work | operations |
//! |---|---|
//! | [`exact`] regression, value and gradient | `N³ + 2 N²D` |
//! | sparse [`regression`], value and gradient | `6 M²N + 2 M³ + 6 MND + 3 M²D`; for the bound `4 M²N + …` |
//! | [`step`] of EP with gradient | `P (6 MND + 3 M²D + 2 M²N + 4/3 M³) + Q (5 M²N + 2/3 M³)` |
//! | [`bound`] with gradient | `P (6 MND + 3 M²D + 2 M²N + 4/3 M³) + Q (3 M²N + M³)` |
//! | [`sweep`] over sites alone | `Q (2 M²N + 2/3 M³)` |
//! | [`prediction`] at N rows | `2 P MND + Q M²N` |
//!
//! See also [`Ivm::operations`](crate::ivm::Ivm::operations); for time with several processes [`SharedWork`].

mod shared;

pub use shared::{Machine, Seconds, SharedWork};

/// Problem sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents {
    /// Rows N of data or batch.
    pub rows: usize,
    /// Inducing inputs M per process.
    pub inducing: usize,
    /// Input dimensions D.
    pub dim: usize,
    /// Latent functions Q.
    pub latents: usize,
    /// Gaussian processes P: 1 if shared, else Q.
    pub processes: usize,
}

impl Extents {
    fn floats(&self) -> [f64; 5] {
        [self.rows, self.inducing, self.dim, self.latents, self.processes].map(|size| size as f64)
    }
}

/// Exact regression: factor (⅓ N³), inverse (⅔ N³), distances.
#[must_use]
pub fn exact(rows: usize, dim: usize) -> f64 {
    let (n, d) = (rows as f64, dim as f64);
    n * n * (n + 2.0 * d)
}

/// Sparse regression: value (2 M²N), gradient (4 M²N; at power 0, 2 M²N), factors (2 M³), distances.
#[must_use]
pub fn regression(sizes: &Extents, alpha: f64) -> f64 {
    let [n, m, d, ..] = sizes.floats();
    let of_rows = if alpha == 0.0 { 4.0 } else { 6.0 };
    of_rows * m * m * n + 2.0 * m * m * m + 6.0 * m * n * d + 3.0 * m * m * d
}

/// Process part of a step: distances, projection (2 M²N), factors (4/3 M³).
fn of_process([n, m, d]: [f64; 3]) -> f64 {
    6.0 * m * n * d + 3.0 * m * m * d + 2.0 * m * m * n + 4.0 / 3.0 * m * m * m
}

/// EP step with gradient: processes; per latent, marginals and sum (2 M²N), gradient (3 M²N), posterior factor.
#[must_use]
pub fn step(sizes: &Extents) -> f64 {
    let [n, m, d, q, p] = sizes.floats();
    p * of_process([n, m, d]) + q * (5.0 * m * m * n + 2.0 / 3.0 * m * m * m)
}

/// Variational bound with gradient: processes; per latent, marginals, reverse pass and sum (3 M²N), reverse factor.
#[must_use]
pub fn bound(sizes: &Extents) -> f64 {
    let [n, m, d, q, p] = sizes.floats();
    p * of_process([n, m, d]) + q * (3.0 * m * m * n + m * m * m)
}

/// Sweep over projected rows: per latent, marginals and sum, posterior factor.
#[must_use]
pub fn sweep(sizes: &Extents) -> f64 {
    let [n, m, _, q, _] = sizes.floats();
    q * (2.0 * m * m * n + 2.0 / 3.0 * m * m * m)
}

/// Predictions: distances; per latent, a triangular product.
#[must_use]
pub fn prediction(sizes: &Extents) -> f64 {
    let [n, m, d, q, p] = sizes.floats();
    2.0 * p * m * n * d + q * m * m * n
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Extents = Extents { rows: 200, inducing: 100, dim: 16, latents: 1, processes: 1 };

    #[test]
    fn counts_are_those_made_by_hand() {
        // 6·100·200·16 + 3·100²·16 + 2·100²·200 + 5·100²·200 + 2·100³.
        assert!((step(&SIZES) - 18.4e6).abs() < 1.0);
        assert!((bound(&SIZES) - (1.92e6 + 0.48e6 + 4e6 + 6e6 + 7.0 / 3.0 * 1e6)).abs() < 1.0);
        assert!((sweep(&SIZES) - (4e6 + 2.0 / 3.0 * 1e6)).abs() < 1.0);
        assert!((regression(&SIZES, 0.0) - (8e6 + 2e6 + 1.92e6 + 0.48e6)).abs() < 1.0);
        assert!((regression(&SIZES, 0.5) - (12e6 + 2e6 + 1.92e6 + 0.48e6)).abs() < 1.0);
        assert!((exact(100, 8) - 1.16e6).abs() < 1e-6);
        assert!((prediction(&SIZES) - (0.64e6 + 2e6)).abs() < 1.0);
    }

    #[test]
    fn functions_that_share_a_process_pay_for_it_once() {
        let ten = Extents { latents: 10, processes: 10, ..SIZES };
        assert!((step(&ten) - 10.0 * step(&SIZES)).abs() < 1.0);
        let shared = Extents { processes: 1, ..ten };
        assert!((step(&ten) - step(&shared) - 9.0 * of_process([200.0, 100.0, 16.0])).abs() < 1.0);
    }
}
