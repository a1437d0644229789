//! Matrix products.
//!
//! Vector registers are left clean ([`clear_upper_vector_state`]); bits do not depend on [`Threading`]. Wrong shapes
//! leave `dst` unchanged.

mod gram;
mod lower;
mod tile;

pub use crate::upper_state::clear_upper_vector_state;
pub use faer::Accum;
pub use gram::{GramScratch, weighted_gram};
pub(crate) use lower::product_lower;
pub use lower::{gram_of_lower, matmul_lower, symmetrise_lower};

use crate::error::{LinalgError, check_extent};
use crate::stop_condition;
use crate::threading::{Threading, block_width, for_column_blocks, for_row_blocks};
use faer::{MatMut, MatRef};

/// `dst = [dst +] alpha · lhs · rhs`.
///
/// `dst` is `m×n`, `lhs` `m×k`, `rhs` `k×n`, any strides. [`Accum::Replace`] does not read `dst`; `k = 0` gives zero.
/// Non-finite numbers propagate.
///
/// # Errors
/// [`LinalgError::DimensionMismatch`], [`LinalgError::Stopped`].
///
/// ```
/// use gp_linalg::faer::{Accum, mat};
/// use gp_linalg::{Threading, product};
///
/// let a = mat![[1.0, 2.0], [3.0, 4.0]];
/// let b = mat![[1.0], [-1.0]];
/// let mut c = mat![[10.0], [10.0]];
/// product::matmul(c.as_mut(), Accum::Add, a.as_ref(), b.as_ref(), 2.0, Threading::Here)?;
/// assert_eq!(c, mat![[8.0], [8.0]]);
/// # Ok::<(), gp_linalg::LinalgError>(())
/// ```
pub fn matmul(
    dst: MatMut<'_, f64>,
    accum: Accum,
    lhs: MatRef<'_, f64>,
    rhs: MatRef<'_, f64>,
    alpha: f64,
    threading: Threading,
) -> Result<(), LinalgError> {
    const OPERATION: &str = "matmul";
    check_extent(OPERATION, "rows of lhs", dst.nrows(), lhs.nrows())?;
    check_extent(OPERATION, "columns of rhs", dst.ncols(), rhs.ncols())?;
    check_extent(OPERATION, "rows of rhs", lhs.ncols(), rhs.nrows())?;
    product(dst, accum, lhs, rhs, alpha, threading);
    stop_condition::go_on()
}

pub(crate) fn product(
    dst: MatMut<'_, f64>,
    accum: Accum,
    lhs: MatRef<'_, f64>,
    rhs: MatRef<'_, f64>,
    alpha: f64,
    threading: Threading,
) {
    let (m, n, k) = (dst.nrows(), dst.ncols(), lhs.ncols());
    let threading = threading.for_flops(2.0 * m as f64 * n as f64 * k as f64);
    let height = block_width(m, tile::ROWS, tile::GRAIN);
    let width = block_width(n, tile::COLUMNS, tile::GRAIN);
    for_column_blocks(dst, width, threading, &|column, panel: MatMut<'_, f64>| {
        let rhs = rhs.subcols(column, panel.ncols());
        for_row_blocks(panel, height, threading, &|row, block: MatMut<'_, f64>| {
            let lhs = lhs.subrows(row, block.nrows());
            tile::multiply(block, accum, lhs, rhs, alpha);
        });
    });
}
