//! Inverse of a factor.

use super::Cholesky;
use crate::error::{LinalgError, check_extent};
use crate::stop_condition;
use crate::threading::{Threading, for_column_blocks};
use crate::triangular;
use faer::MatMut;
use faer::reborrow::ReborrowMut as _;

/// Columns per task; skips most zeros.
const COLUMNS: usize = 64;

impl Cholesky {
    /// Writes `L⁻¹` (`n×n`, lower), three times as fast as solving for the identity.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`] (`out` untouched), [`LinalgError::Stopped`].
    pub fn half_inverse_into(
        &self,
        mut out: MatMut<'_, f64>,
        threading: Threading,
    ) -> Result<(), LinalgError> {
        let (n, l) = (self.dim(), self.l());
        self.check_rows("half_inverse", out.nrows())?;
        check_extent("half_inverse", "columns", n, out.ncols())?;
        out.fill(0.0);
        (0..n).for_each(|i| out[(i, i)] = 1.0);
        let threading = threading.for_flops((n * n * n) as f64 / 3.0);
        for_column_blocks(out.rb_mut(), COLUMNS, threading, &|column, panel: MatMut<'_, f64>| {
            let rest = n - column;
            let below = panel.subrows_mut(column, rest);
            triangular::solve(l.submatrix(column, column, rest, rest), below, Threading::Here);
        });
        stop_condition::go_on()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JitterPolicy;
    use crate::product::{gram_of_lower, matmul};
    use faer::{Accum, Mat};

    fn factor(n: usize) -> Cholesky {
        let a = Mat::from_fn(n, n, |i, j| {
            let apart = i as f64 - j as f64;
            (-0.5 * (apart / 7.0).powi(2)).exp() + if i == j { 0.5 } else { 0.0 }
        });
        Cholesky::factor(a.as_ref(), &JitterPolicy::none()).unwrap()
    }

    #[test]
    fn times_the_factor_is_the_identity() {
        for n in [1, 2, 63, 64, 65, 200, 311] {
            let factor = factor(n);
            let mut inverse = Mat::from_fn(n, n, |_, _| f64::NAN);
            factor.half_inverse_into(inverse.as_mut(), Threading::Here).unwrap();
            let mut product = Mat::zeros(n, n);
            matmul(product.as_mut(), Accum::Replace, factor.l(), inverse.as_ref(), 1.0, Threading::Here)
                .unwrap();
            for j in 0..n {
                assert!((0..j).all(|i| inverse[(i, j)] == 0.0));
                // The factor's condition number is about 6.
                assert!((0..n).all(|i| (product[(i, j)] - f64::from(u8::from(i == j))).abs() < 1e-13));
            }
            let mut pooled = Mat::zeros(n, n);
            factor.half_inverse_into(pooled.as_mut(), Threading::Pool).unwrap();
            assert_eq!(pooled, inverse);
        }
    }

    #[test]
    fn products_of_lower_triangles_are_those_of_matrices() {
        for n in [1, 5, 64, 130, 257] {
            let factor = factor(n);
            let start = Mat::from_fn(n, n, |i, j| (i * 3 + j) as f64 * 0.01);
            let mut expected = start.clone();
            let l = Mat::from_fn(n, n, |i, j| if i >= j { factor.l()[(i, j)] } else { 0.0 });
            matmul(expected.as_mut(), Accum::Add, l.transpose(), l.as_ref(), -0.5, Threading::Here).unwrap();
            for threading in [Threading::Here, Threading::Pool] {
                let mut found = start.clone();
                gram_of_lower(found.as_mut(), Accum::Add, l.as_ref(), -0.5, threading).unwrap();
                for j in 0..n {
                    assert!((0..j).all(|i| found[(i, j)] == start[(i, j)]), "above the diagonal");
                    assert!((j..n).all(|i| (found[(i, j)] - expected[(i, j)]).abs() < 1e-12));
                }
            }
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        let (factor, mut out) = (factor(4), Mat::zeros(4, 3));
        assert!(factor.half_inverse_into(out.as_mut(), Threading::Here).is_err());
        assert!(gram_of_lower(out.as_mut(), Accum::Add, factor.l(), 1.0, Threading::Here).is_err());
    }
}
