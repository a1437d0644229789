//! Gaussian over whitened inducing values.

use faer::{Accum, MatMut, MatRef};
use gp_linalg::product::matmul;
use gp_linalg::{Cholesky, LinalgError, Threading};

/// `q(v) = N(m, V)` with `V = R Rᵀ`; marginals `φᵀv ~ N(φᵀm, ‖Rᵀφ‖²)`.
#[derive(Clone, Copy, Debug)]
pub enum Whitened<'a> {
    /// Mean only; variances are zero.
    Mean(&'a [f64]),
    /// Factor of `B = V⁻¹ = L_B L_Bᵀ`, `R = L_B⁻ᵀ`.
    Precision {
        /// `L_B`
        factor: &'a Cholesky,
        /// `L_Bᵀ m`
        half_mean: &'a [f64],
        /// m
        mean: &'a [f64],
    },
    /// Factor of the covariance, `R = L_S`.
    Covariance {
        /// `L_S`
        factor: &'a Cholesky,
        /// m
        mean: &'a [f64],
    },
    /// Mean only, with derivatives by `K_zx` instead of Φ: `k̄ = on_mean · m̃ + on_spread · C φ`. The caller
    /// adds those by L.
    Pulled {
        /// m
        mean: &'a [f64],
        /// m̃
        pulled_mean: &'a [f64],
        /// C
        pulled: MatRef<'a, f64>,
    },
    /// Diagonal covariance.
    Diagonal {
        /// Diagonal of V.
        variances: &'a [f64],
        /// m
        mean: &'a [f64],
    },
}

pub(super) struct Marginals<'a> {
    pub(super) phi: &'a [f64],
    pub(super) half: &'a mut [f64],
    pub(super) mean: &'a mut [f64],
    pub(super) variance: &'a mut [f64],
}

impl<'a> Whitened<'a> {
    /// m
    #[must_use]
    pub fn mean(self) -> &'a [f64] {
        match self {
            Self::Mean(mean)
            | Self::Precision { mean, .. }
            | Self::Covariance { mean, .. }
            | Self::Pulled { mean, .. }
            | Self::Diagonal { mean, .. } => mean,
        }
    }

    /// Derivative of a marginal mean: m by φ, m̃ by `k_zx`.
    pub(super) fn along_mean(self) -> &'a [f64] {
        if let Self::Pulled { pulled_mean, .. } = self { pulled_mean } else { self.mean() }
    }

    /// `RᵀΦ` (`CΦ` if pulled) in `half`, marginal means and variances.
    pub(super) fn marginals(self, to: Marginals<'_>, threading: Threading) -> Result<(), LinalgError> {
        let (m, columns) = (self.mean().len(), to.mean.len());
        if let Self::Precision { factor, half_mean, .. } = self {
            to.half.copy_from_slice(to.phi);
            factor.half_solve_in_place(view_mut(to.half, m, columns), threading)?;
            for ((half, mean), variance) in to.half.chunks_exact(m).zip(to.mean).zip(to.variance) {
                (*mean, *variance) = product_and_norm(half, half_mean);
            }
            return Ok(());
        }
        let row = MatRef::from_column_major_slice(self.mean(), 1, m);
        let phi = MatRef::from_column_major_slice(to.phi, m, columns);
        matmul(view_mut(to.mean, 1, columns), Accum::Replace, row, phi, 1.0, threading)?;
        match self {
            Self::Mean(_) | Self::Precision { .. } => {
                to.variance.fill(0.0);
                return Ok(());
            }
            Self::Pulled { pulled, .. } => {
                to.variance.fill(0.0);
                let half = view_mut(to.half, m, columns);
                return matmul(half, Accum::Replace, pulled, phi, 1.0, threading);
            }
            Self::Covariance { factor, .. } => {
                to.half.copy_from_slice(to.phi);
                factor.mul_l_transpose_in_place(view_mut(to.half, m, columns), threading)?;
            }
            Self::Diagonal { variances, .. } => {
                for (half, phi) in to.half.chunks_exact_mut(m).zip(to.phi.chunks_exact(m)) {
                    let scaled = phi.iter().zip(variances).map(|(phi, w)| w.sqrt() * phi);
                    half.iter_mut().zip(scaled).for_each(|(half, x)| *half = x);
                }
            }
        }
        for (half, variance) in to.half.chunks_exact(m).zip(to.variance) {
            *variance = squared_norm(half);
        }
        Ok(())
    }

    /// Replaces `RᵀΦ` by `VΦ`; `CΦ` stays.
    pub(super) fn pull_back(self, half: &mut [f64], threading: Threading) -> Result<(), LinalgError> {
        let m = self.mean().len();
        let columns = half.len() / m.max(1);
        match self {
            Self::Mean(_) => {
                half.fill(0.0);
                Ok(())
            }
            Self::Pulled { .. } => Ok(()),
            Self::Precision { factor, .. } => {
                factor.half_solve_transpose_in_place(view_mut(half, m, columns), threading)
            }
            Self::Covariance { factor, .. } => factor.mul_l_in_place(view_mut(half, m, columns), threading),
            Self::Diagonal { variances, .. } => {
                for column in half.chunks_exact_mut(m) {
                    column.iter_mut().zip(variances).for_each(|(x, w)| *x *= w.sqrt());
                }
                Ok(())
            }
        }
    }
}

pub(super) fn view_mut(numbers: &mut [f64], rows: usize, columns: usize) -> MatMut<'_, f64> {
    MatMut::from_column_major_slice_mut(numbers, rows, columns)
}

const WIDTH: usize = 8;

/// `xᵀc` and `‖x‖²`, in eight lanes.
fn product_and_norm(x: &[f64], c: &[f64]) -> (f64, f64) {
    let (mut products, mut norms) = ([0.0; WIDTH], [0.0; WIDTH]);
    let (x_chunks, x_rest) = x.as_chunks::<WIDTH>();
    let (c_chunks, c_rest) = c.as_chunks::<WIDTH>();
    for (x, c) in x_chunks.iter().zip(c_chunks) {
        for k in 0..WIDTH {
            products[k] += x[k] * c[k];
            norms[k] += x[k] * x[k];
        }
    }
    let product: f64 = x_rest.iter().zip(c_rest).map(|(x, c)| x * c).sum();
    let norm: f64 = x_rest.iter().map(|x| x * x).sum();
    (products.iter().sum::<f64>() + product, norms.iter().sum::<f64>() + norm)
}

/// `‖x‖²`, in eight lanes.
pub(super) fn squared_norm(x: &[f64]) -> f64 {
    let mut sums = [0.0; WIDTH];
    let (chunks, rest) = x.as_chunks::<WIDTH>();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x * x);
    }
    sums.iter().sum::<f64>() + rest.iter().map(|x| x * x).sum::<f64>()
}
