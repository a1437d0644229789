//! Views of buffers.

use faer::{Accum, MatMut, MatRef};
use gp_linalg::product::{matmul, matmul_lower, symmetrise_lower};
use gp_linalg::{LinalgError, Threading};

use crate::kernel::{Block, BlockMut, Points, PointsMut, column, column_mut};

/// Front of a buffer, column-major.
#[expect(clippy::expect_used, reason = "a column-major slice has unit row stride by construction")]
pub fn block(buffer: &[f64], rows: usize, cols: usize) -> Block<'_> {
    MatRef::from_column_major_slice(&buffer[..rows * cols], rows, cols)
        .try_as_col_major()
        .expect("unit row stride")
}

/// Mutable [`block`].
#[expect(clippy::expect_used, reason = "a column-major slice has unit row stride by construction")]
pub fn block_mut(buffer: &mut [f64], rows: usize, cols: usize) -> BlockMut<'_> {
    MatMut::from_column_major_slice_mut(&mut buffer[..rows * cols], rows, cols)
        .try_as_col_major_mut()
        .expect("unit row stride")
}

/// Front of a buffer, row-major.
pub fn points(buffer: &[f64], count: usize, dim: usize) -> Points<'_> {
    block(buffer, dim, count).transpose()
}

/// Mutable [`points`].
pub fn points_mut(buffer: &mut [f64], count: usize, dim: usize) -> PointsMut<'_> {
    block_mut(buffer, dim, count).transpose_mut()
}

/// Debug check of shapes; stopped output is discarded.
fn check(done: &Result<(), LinalgError>, what: &str) {
    debug_assert!(matches!(done, Ok(()) | Err(LinalgError::Stopped)), "{what}: {done:?}");
}

/// `dst ← alpha · lhs · rhs` (or adds), on this thread.
pub(crate) fn multiply(
    dst: MatMut<'_, f64>,
    accum: Accum,
    lhs: MatRef<'_, f64>,
    rhs: MatRef<'_, f64>,
    alpha: f64,
) {
    let done = matmul(dst, accum, lhs, rhs, alpha, Threading::Here);
    check(&done, "shapes of a tile's product");
}

/// `out ← alpha · points · pointsᵀ`, lower triangle, on this thread.
pub(crate) fn multiply_self(out: MatMut<'_, f64>, points: Points<'_>, alpha: f64) {
    let points = points.as_dyn_stride();
    let done = matmul_lower(out, Accum::Replace, points, points.transpose(), alpha, Threading::Here);
    check(&done, "shapes of a tile's product");
}

pub(crate) fn mirror(tile: MatMut<'_, f64>) {
    let done = symmetrise_lower(tile);
    check(&done, "shape of a tile");
}

/// Calls `body(out_ij, values_ij)` for all entries.
pub(crate) fn zip_columns(out: &mut BlockMut<'_>, values: Block<'_>, body: impl Fn(&mut f64, f64)) {
    for j in 0..out.ncols() {
        column_mut(out, j).iter_mut().zip(column(values, j)).for_each(|(out, value)| body(out, *value));
    }
}
