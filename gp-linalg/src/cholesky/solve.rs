//! Solves and products with a factor.

use super::Cholesky;
use crate::error::{LinalgError, check_extent};
use crate::stop_condition;
use crate::threading::Threading;
use crate::triangular;
use faer::MatMut;
use faer::reborrow::ReborrowMut as _;

/// `B` (`n×k`, any strides) is overwritten, unless its number of rows is wrong. [`Threading::Pool`] divides columns.
impl Cholesky {
    /// `B ← (L Lᵀ)⁻¹ B`.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`], [`LinalgError::Stopped`].
    pub fn solve_in_place(&self, mut rhs: MatMut<'_, f64>, threading: Threading) -> Result<(), LinalgError> {
        self.check_rows("solve", rhs.nrows())?;
        triangular::solve(self.l(), rhs.rb_mut(), threading);
        triangular::solve_transpose(self.l(), rhs, threading);
        stop_condition::go_on()
    }

    /// `B ← L⁻¹ B`.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`], [`LinalgError::Stopped`].
    pub fn half_solve_in_place(&self, rhs: MatMut<'_, f64>, threading: Threading) -> Result<(), LinalgError> {
        self.check_rows("half_solve", rhs.nrows())?;
        triangular::solve(self.l(), rhs, threading);
        stop_condition::go_on()
    }

    /// `B ← L⁻ᵀ B`.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`], [`LinalgError::Stopped`].
    pub fn half_solve_transpose_in_place(
        &self,
        rhs: MatMut<'_, f64>,
        threading: Threading,
    ) -> Result<(), LinalgError> {
        self.check_rows("half_solve_transpose", rhs.nrows())?;
        triangular::solve_transpose(self.l(), rhs, threading);
        stop_condition::go_on()
    }

    /// `B ← L B`.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`]
    pub fn mul_l_in_place(&self, rhs: MatMut<'_, f64>, threading: Threading) -> Result<(), LinalgError> {
        self.check_rows("mul_l", rhs.nrows())?;
        triangular::multiply(self.l(), rhs, threading);
        Ok(())
    }

    /// `B ← Lᵀ B`.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`]
    pub fn mul_l_transpose_in_place(
        &self,
        rhs: MatMut<'_, f64>,
        threading: Threading,
    ) -> Result<(), LinalgError> {
        self.check_rows("mul_l_transpose", rhs.nrows())?;
        triangular::multiply_transpose(self.l(), rhs, threading);
        Ok(())
    }

    /// `bᵀ (L Lᵀ)⁻¹ b = ‖L⁻¹ b‖²`. Slices have length n; `scratch` receives `L⁻¹ b`.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`]
    pub fn inv_quad_form(&self, b: &[f64], scratch: &mut [f64]) -> Result<f64, LinalgError> {
        self.check_rows("inv_quad_form", b.len())?;
        check_extent("inv_quad_form", "length of scratch", self.dim(), scratch.len())?;
        scratch.copy_from_slice(b);
        let rhs = MatMut::from_column_major_slice_mut(&mut *scratch, b.len(), 1);
        triangular::solve(self.l(), rhs, Threading::Here);
        Ok(scratch.iter().map(|value| value * value).sum())
    }

    pub(super) fn check_rows(&self, operation: &'static str, rows: usize) -> Result<(), LinalgError> {
        check_extent(operation, "rows of the right-hand side", self.dim(), rows)
    }
}
