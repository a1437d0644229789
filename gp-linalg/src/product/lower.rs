//! Lower triangles of products.

use super::tile;
use crate::error::{LinalgError, check_extent};
use crate::stop_condition;
use crate::threading::{Threading, block_width, for_row_blocks};
use faer::reborrow::ReborrowMut as _;
use faer::{Accum, MatMut, MatRef};

/// Rows per task; 32 to 256 are equally fast.
const ROWS: usize = 64;

/// Lower triangle of `dst = [dst +] alpha · lhs · rhs`, at half the cost of [`matmul`](super::matmul).
///
/// `dst` is `m×m` (strict upper triangle untouched), `lhs` `m×k`, `rhs` `k×m`.
///
/// # Errors
/// [`LinalgError::DimensionMismatch`], [`LinalgError::Stopped`].
pub fn matmul_lower(
    dst: MatMut<'_, f64>,
    accum: Accum,
    lhs: MatRef<'_, f64>,
    rhs: MatRef<'_, f64>,
    alpha: f64,
    threading: Threading,
) -> Result<(), LinalgError> {
    const OPERATION: &str = "matmul_lower";
    check_extent(OPERATION, "columns of dst", dst.nrows(), dst.ncols())?;
    check_extent(OPERATION, "rows of lhs", dst.nrows(), lhs.nrows())?;
    check_extent(OPERATION, "columns of rhs", dst.ncols(), rhs.ncols())?;
    check_extent(OPERATION, "rows of rhs", lhs.ncols(), rhs.nrows())?;
    product_lower(dst, accum, lhs, rhs, alpha, threading);
    stop_condition::go_on()
}

pub(crate) fn product_lower(
    dst: MatMut<'_, f64>,
    accum: Accum,
    lhs: MatRef<'_, f64>,
    rhs: MatRef<'_, f64>,
    alpha: f64,
    threading: Threading,
) {
    let (m, k) = (dst.nrows(), lhs.ncols());
    let threading = threading.for_flops(m as f64 * m as f64 * k as f64);
    let height = block_width(m, ROWS, tile::GRAIN);
    for_row_blocks(dst, height, threading, &|row, block: MatMut<'_, f64>| {
        let height = block.nrows();
        let lhs = lhs.subrows(row, height);
        let (before, from_diagonal) = block.split_at_col_mut(row);
        tile::multiply(before, accum, lhs, rhs.subcols(0, row), alpha);
        let triangle = from_diagonal.subcols_mut(0, height);
        tile::multiply_lower(triangle, accum, lhs, rhs.subcols(row, height), alpha);
    });
}

/// Lower triangle of `dst = [dst +] alpha · Lᵀ L`, at a third of [`matmul_lower`]'s cost; L must be zero above its
/// diagonal.
///
/// # Errors
/// [`LinalgError::DimensionMismatch`] unless square, equal; [`LinalgError::Stopped`].
pub fn gram_of_lower(
    dst: MatMut<'_, f64>,
    accum: Accum,
    lower: MatRef<'_, f64>,
    alpha: f64,
    threading: Threading,
) -> Result<(), LinalgError> {
    const OPERATION: &str = "gram_of_lower";
    let n = lower.nrows();
    check_extent(OPERATION, "columns of the factor", n, lower.ncols())?;
    check_extent(OPERATION, "rows of dst", n, dst.nrows())?;
    check_extent(OPERATION, "columns of dst", n, dst.ncols())?;
    let threading = threading.for_flops((n * n * n) as f64 / 3.0);
    let height = block_width(n, ROWS, tile::GRAIN);
    for_row_blocks(dst, height, threading, &|row, block: MatMut<'_, f64>| {
        let height = block.nrows();
        let below = lower.subrows(row, n - row);
        let own = below.subcols(row, height).transpose();
        let (before, from_diagonal) = block.split_at_col_mut(row);
        tile::multiply(before, accum, own, below.subcols(0, row), alpha);
        tile::multiply_lower(from_diagonal.subcols_mut(0, height), accum, own, own.transpose(), alpha);
    });
    stop_condition::go_on()
}

/// Copies the lower triangle to the upper.
///
/// # Errors
/// [`LinalgError::DimensionMismatch`] unless square.
pub fn symmetrise_lower(mut matrix: MatMut<'_, f64>) -> Result<(), LinalgError> {
    check_extent("symmetrise_lower", "columns", matrix.nrows(), matrix.ncols())?;
    // A tile of source and target fits the first-level cache.
    const TILE: usize = 32;
    let n = matrix.nrows();
    for column in (0..n).step_by(TILE) {
        for row in (column..n).step_by(TILE) {
            copy_tile_across(matrix.rb_mut(), row..n.min(row + TILE), column..n.min(column + TILE));
        }
    }
    Ok(())
}

fn copy_tile_across(
    mut matrix: MatMut<'_, f64>,
    rows: std::ops::Range<usize>,
    columns: std::ops::Range<usize>,
) {
    for j in columns {
        for i in rows.start.max(j + 1)..rows.end {
            matrix[(j, i)] = matrix[(i, j)];
        }
    }
}
