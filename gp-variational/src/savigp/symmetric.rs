//! Symmetric matrices stored as lower triangles.

use faer::{MatMut, MatRef};
use gp_linalg::LinalgError;
use gp_linalg::product::symmetrise_lower;

pub(super) fn copy_symmetric(lower: MatRef<'_, f64>, mut out: MatMut<'_, f64>) -> Result<(), LinalgError> {
    for j in 0..lower.ncols() {
        let below = lower.nrows() - j;
        out.as_mut().col_mut(j).subrows_mut(j, below).copy_from(lower.col(j).subrows(j, below));
    }
    symmetrise_lower(out)
}
