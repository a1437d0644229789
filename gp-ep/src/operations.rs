//! Numbers of floating-point operations of the methods, from their formulas.
//!
//! A matrix product counts twice its multiplications, symmetric results count once, a reverse pass counts as much as
//! the derivatives it makes; integrals over single observations are not counted. N rows (of the batch), M inducing
//! inputs, D input dimensions, Q latent functions of P processes (1 if shared, else Q):
//!
//! | work | operations |
//! |---|---|
//! | [`exact`] regression, value and gradient | `N³ + 2 N²D` |
//! | sparse [`regression`] in closed form, value and gradient | `6 M²N + 2 M³ + 6 MND + 3 M²D`; for the bound `4 M²N + …` |
//! | a [`step`] of EP with its gradient | `P (6 MND + 3 M²D + 2 M²N + 4/3 M³) + Q (5 M²N + 2/3 M³)` |
//! | a [`bound`] with its gradient | `P (6 MND + 3 M²D + 2 M²N + 4/3 M³) + Q (3 M²N + M³)` |
//! | a [`sweep`] over the sites alone | `Q (2 M²N + 2/3 M³)` |
//! | a [`prediction`] at N rows | `2 P MND + Q M²N` |
//!
//! For the informative vector machine see [`Ivm::operations`](crate::ivm::Ivm::operations); for time shared by several
//! processes [`SharedWork`].

mod shared;

pub use shared::{Machine, Seconds, SharedWork};

/// Sizes of a problem with inducing inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extents {
    /// Number N of rows, or of rows in a batch.
    pub rows: usize,
    /// Number M of inducing inputs per process.
    pub inducing: usize,
    /// Number D of input dimensions.
    pub dim: usize,
    /// Number Q of latent functions.
    pub latents: usize,
    /// Number P of Gaussian processes: 1 if shared, else Q.
    pub processes: usize,
}

impl Extents {
    fn floats(&self) -> [f64; 5] {
        [self.rows, self.inducing, self.dim, self.latents, self.processes].map(|size| size as f64)
    }
}

/// Operations of exact regression: factor (⅓ N³), its inverse (⅔ N³), distances for value and gradient (2
/// N²D).
#[must_use]
pub fn exact(rows: usize, dim: usize) -> f64 {
    let (n, d) = (rows as f64, dim as f64);
    n * n * (n + 2.0 * d)
}

/// Operations of closed-form sparse regression: projection and sum for the value; for the gradient one
/// product (2 M²N) at power 0, otherwise three solves and a sum (4 M²N); factors with reverse pass (2 M³);
/// distances with reverse pass, of rows (6 MND) and among inducing inputs (3 M²D).
#[must_use]
pub fn regression(sizes: &Extents, alpha: f64) -> f64 {
    let [n, m, d, ..] = sizes.floats();
    let of_rows = if alpha == 0.0 { 4.0 } else { 6.0 };
    of_rows * m * m * n + 2.0 * m * m * m + 6.0 * m * n * d + 3.0 * m * m * d
}

/// Operations of one process in a step: distances with reverse pass (6 MND + 3 M²D), projection with reverse
/// pass (2 M²N), factors (4/3 M³).
fn of_process([n, m, d]: [f64; 3]) -> f64 {
    6.0 * m * n * d + 3.0 * m * m * d + 2.0 * m * m * n + 4.0 / 3.0 * m * m * m
}

/// Operations of an EP step with gradient: processes and, per latent function, marginals and sum (2 M²N),
/// product and sum of the gradient (3 M²N), posterior factor (⅔ M³).
#[must_use]
pub fn step(sizes: &Extents) -> f64 {
    let [n, m, d, q, p] = sizes.floats();
    p * of_process([n, m, d]) + q * (5.0 * m * m * n + 2.0 / 3.0 * m * m * m)
}

/// Operations of a variational bound with gradient: processes and, per latent function, marginals, reverse
/// pass and sum (3 M²N), reverse pass of the posterior factor (M³).
#[must_use]
pub fn bound(sizes: &Extents) -> f64 {
    let [n, m, d, q, p] = sizes.floats();
    p * of_process([n, m, d]) + q * (3.0 * m * m * n + m * m * m)
}

/// Operations of a sweep without gradient over projected rows, per latent function: marginals and sum (2
/// M²N), posterior factor (⅔ M³).
#[must_use]
pub fn sweep(sizes: &Extents) -> f64 {
    let [n, m, _, q, _] = sizes.floats();
    q * (2.0 * m * m * n + 2.0 / 3.0 * m * m * m)
}

/// Operations of predictions: distances (2 MND) and, per latent function, one triangular product for
/// projection and posterior (M²N).
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
