//! `q(v) = N(m, V)` of one latent: `V⁻¹ = B = I + Σ τ_i φ_iφ_iᵀ = L_B L_Bᵀ`, `B m = η = Σ ν_i φ_i`.

use crate::error::EpError;
use faer::{Mat, MatMut, MatRef};
use gp_linalg::{Cholesky, JitterPolicy, Threading};

/// The posterior of the whitened inducing values, with what marginals are computed from.
#[derive(Clone, Debug)]
pub(crate) struct WhitenedPosterior {
    factor: Cholesky,
    /// Lower triangle of B.
    precision: Mat<f64>,
    /// `L_B⁻¹ η`
    half_mean: Vec<f64>,
    /// `m = B⁻¹ η`
    mean: Vec<f64>,
}

impl WhitenedPosterior {
    /// The prior: `B = I`, `η = 0`.
    pub(crate) fn prior(count: usize) -> Self {
        let mut prior = Self {
            factor: Cholesky::with_capacity(count),
            precision: Mat::zeros(count, count),
            half_mean: vec![0.0; count],
            mean: vec![0.0; count],
        };
        let identity = prior.set(MatRef::from_column_major_slice(&[], 0, 0), &[], 0.0);
        debug_assert!(identity.is_ok());
        prior
    }

    pub(crate) fn factor(&self) -> &Cholesky {
        &self.factor
    }

    pub(crate) fn half_mean(&self) -> &[f64] {
        &self.half_mean
    }

    pub(crate) fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Sets `B = I + weight · sites` (lower triangle) and `η = weight · shift`. On an error the posterior must not be
    /// used before it is set again.
    ///
    /// # Errors
    /// [`EpError::Linalg`] where B is not positive definite.
    pub(crate) fn set(&mut self, sites: MatRef<'_, f64>, shift: &[f64], weight: f64) -> Result<(), EpError> {
        let count = self.mean.len();
        for j in 0..count {
            if weight == 0.0 {
                self.precision.col_mut(j).fill(0.0);
            } else {
                let from = sites.col(j).subrows(j, count - j);
                let column = self.precision.col_mut(j).subrows_mut(j, count - j);
                column.iter_mut().zip(from.iter()).for_each(|(out, site)| *out = weight * site);
            }
            self.precision[(j, j)] += 1.0;
        }
        self.factor.refactor(self.precision.as_ref(), &JitterPolicy::none())?;
        self.half_mean.fill(0.0);
        self.half_mean.iter_mut().zip(shift).for_each(|(out, eta)| *out = weight * eta);
        self.factor.half_solve_in_place(column(&mut self.half_mean), Threading::Here)?;
        self.mean.copy_from_slice(&self.half_mean);
        Ok(self.factor.half_solve_transpose_in_place(column(&mut self.mean), Threading::Here)?)
    }

    /// `ln ∫ N(v; 0, I) exp(ηᵀv − ½ vᵀ(B − I)v) dv = ½ ηᵀB⁻¹η − ½ ln|B|`
    pub(crate) fn log_normaliser(&self) -> f64 {
        let quadratic: f64 = self.half_mean.iter().map(|x| x * x).sum();
        0.5 * (quadratic - self.factor.log_det())
    }
}

/// A vector as a matrix of one column.
fn column(values: &mut [f64]) -> MatMut<'_, f64> {
    let count = values.len();
    MatMut::from_column_major_slice_mut(values, count, 1)
}
