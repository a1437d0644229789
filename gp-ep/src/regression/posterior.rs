//! Posterior of the inducing values, from the sums of the first pass.

use super::model::SparseRegression;
use crate::error::InferenceError;
use faer::MatMut;
use gp_kernels::passes::{Beliefs, Layout, Sums, Whitened};
use gp_linalg::{Cholesky, Threading};

/// `q(v) = N(m, B⁻¹)`
#[derive(Debug)]
pub(super) struct RegressionPosterior {
    /// Layout of the first pass.
    pub(super) layout: Layout,
    /// Layout of one number.
    pub(super) number: Layout,
    /// `B = L_B L_Bᵀ`
    pub(super) precision: Cholesky,
    /// `L_Bᵀ m`
    pub(super) half_mean: Vec<f64>,
    /// m
    pub(super) mean: Vec<f64>,
}

impl Beliefs for RegressionPosterior {
    fn of(&self, _component: usize, _latent: usize) -> Whitened<'_> {
        Whitened::Precision { factor: &self.precision, half_mean: &self.half_mean, mean: &self.mean }
    }
}

/// Mean of a posterior, without variance.
pub(super) struct MeanOf<'a>(pub(super) &'a RegressionPosterior);

impl Beliefs for MeanOf<'_> {
    fn of(&self, _component: usize, _latent: usize) -> Whitened<'_> {
        Whitened::Mean(&self.0.mean)
    }
}

impl RegressionPosterior {
    /// `B = L_B L_Bᵀ` and `m = B⁻¹ Φ D⁻¹ y`, from the sums of the first pass.
    pub(super) fn solve(&mut self, model: &SparseRegression, sums: &mut Sums) -> Result<(), InferenceError> {
        let mut part = self.layout.part_mut(&mut sums.numbers, 0, 0);
        let mut precision = part.matrix();
        (0..precision.nrows()).for_each(|i| precision[(i, i)] += 1.0);
        self.precision.refactor(precision.as_ref(), model.jitter())?;
        self.half_mean.copy_from_slice(part.shift);
        self.precision.half_solve_in_place(column_mut(&mut self.half_mean), Threading::Here)?;
        self.mean.copy_from_slice(&self.half_mean);
        Ok(self.precision.half_solve_transpose_in_place(column_mut(&mut self.mean), Threading::Here)?)
    }
}

/// Vector as a mutable column.
pub(super) fn column_mut(vector: &mut [f64]) -> MatMut<'_, f64> {
    let length = vector.len();
    MatMut::from_column_major_slice_mut(vector, length, 1)
}
