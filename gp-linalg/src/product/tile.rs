//! One block of a product, on one thread.

use crate::upper_state::clear_upper_vector_state;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, MatMut, MatRef, Par};

/// Rows of one task.
pub(super) const ROWS: usize = 256;
/// Columns of one task. 256 × 512 is large enough for packing to be a small share of the work at any depth (the rate
/// is within a few per cent of the undivided product's), and small enough for a 512 × 512 result to feed two threads.
/// It also keeps the height away from 450…511, where faer's kernel has been seen to lose up to 40 % on processors
/// with 2 MiB of second-level cache.
pub(super) const COLUMNS: usize = 512;
/// Block edges are multiples of this, one cache line of numbers.
pub(super) const GRAIN: usize = 8;

/// `dst = [dst +] alpha · lhs · rhs` on the calling thread, vector state left clean.
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

/// The same for the lower triangle of a square `dst`; what is strictly above the diagonal is not touched.
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
