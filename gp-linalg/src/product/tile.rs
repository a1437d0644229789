//! One block of a product on one thread.

use crate::upper_state::clear_upper_vector_state;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

/// Rows per task.
pub(super) const ROWS: usize = 256;
/// Columns per task. 256 × 512 blocks nearly reach the undivided rate and give two threads work at 512 ×
/// 512. They avoid heights of 450…511, where faer's kernel was up to 40 % slower with 2 MiB of second-level
/// cache.
pub(super) const COLUMNS: usize = 512;
/// Numbers per cache line; block edges are multiples.
pub(super) const GRAIN: usize = 8;

/// Product on the calling thread; leaves vector registers clean.
pub(super) fn multiply(
    dst: MatMut<'_, f64>,
    accum: Accum,
    lhs: MatRef<'_, f64>,
    rhs: MatRef<'_, f64>,
    alpha: f64,
) {
    faer::linalg::matmul::matmul(dst, accum, lhs, rhs, alpha, Par::Seq);
    clear_upper_vector_state();
}

pub(super) fn multiply_lower(
    dst: MatMut<'_, f64>,
    accum: Accum,
    lhs: MatRef<'_, f64>,
    rhs: MatRef<'_, f64>,
    alpha: f64,
) {
    let full = BlockStructure::Rectangular;
    triangular::matmul(dst, BlockStructure::TriangularLower, accum, lhs, full, rhs, full, alpha, Par::Seq);
    clear_upper_vector_state();
}
