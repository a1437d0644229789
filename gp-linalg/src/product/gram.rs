//! Weighted Gram matrices, Φ diag(w) Φᵀ.

use super::lower::product_lower;
use crate::error::{LinalgError, check_extent};
use crate::stop_condition;
use crate::threading::{Threading, for_column_blocks};
use faer::reborrow::ReborrowMut as _;
use faer::{Accum, MatMut, MatRef};

/// Columns per pass; 128 to 256 are equally fast.
const DEPTH: usize = 192;
/// Columns per scaling task.
const SCALE_WIDTH: usize = 64;

/// Reusable memory of [`weighted_gram`].
#[derive(Debug, Clone, Default)]
pub struct GramScratch {
    scaled: Vec<f64>,
}

impl GramScratch {
    /// Empty scratch; the first use allocates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Scratch for Φ of up to `rows`×`columns`.
    pub fn with_capacity(rows: usize, columns: usize) -> Self {
        Self { scaled: vec![0.0; rows * columns.min(DEPTH)] }
    }

    fn block(&mut self, rows: usize, columns: usize) -> MatMut<'_, f64> {
        let needed = rows * columns;
        if self.scaled.len() < needed {
            self.scaled.resize(needed, 0.0);
        }
        MatMut::from_column_major_slice_mut(&mut self.scaled[..needed], rows, columns)
    }
}

/// Lower triangle of `dst = [dst +] Φ diag(weights) Φᵀ`.
///
/// `phi` is `M×N`, any strides; weights may be negative; `dst` is `M×M`, strict upper triangle untouched (see
/// [`symmetrise_lower`](super::symmetrise_lower)).
///
/// # Errors
/// [`LinalgError::DimensionMismatch`], [`LinalgError::Stopped`].
pub fn weighted_gram(
    mut dst: MatMut<'_, f64>,
    accum: Accum,
    phi: MatRef<'_, f64>,
    weights: &[f64],
    scratch: &mut GramScratch,
    threading: Threading,
) -> Result<(), LinalgError> {
    const OPERATION: &str = "weighted_gram";
    check_extent(OPERATION, "columns of dst", dst.nrows(), dst.ncols())?;
    check_extent(OPERATION, "rows of phi", dst.nrows(), phi.nrows())?;
    check_extent(OPERATION, "number of weights", phi.ncols(), weights.len())?;
    let mut accum = accum;
    let mut first = 0;
    // One pass even for N = 0: an empty sum replaces `dst` by zero.
    while first < phi.ncols() || accum == Accum::Replace {
        let depth = DEPTH.min(phi.ncols() - first);
        let block = phi.subcols(first, depth);
        let mut scaled = scratch.block(phi.nrows(), depth);
        scale_columns(scaled.rb_mut(), block, &weights[first..first + depth], threading);
        product_lower(dst.rb_mut(), accum, scaled.as_ref(), block.transpose(), 1.0, threading);
        accum = Accum::Add;
        first += depth;
    }
    stop_condition::go_on()
}

fn scale_columns(scaled: MatMut<'_, f64>, block: MatRef<'_, f64>, weights: &[f64], threading: Threading) {
    // Eight operations per entry: moving two numbers dominates.
    let threading = threading.for_flops(8.0 * block.nrows() as f64 * block.ncols() as f64);
    for_column_blocks(scaled, SCALE_WIDTH, threading, &|first, mut target: MatMut<'_, f64>| {
        for j in 0..target.ncols() {
            let weight = weights[first + j];
            let (target, source) = (target.rb_mut().col_mut(j), block.col(first + j));
            scale_column(target, source, weight);
        }
    });
}

fn scale_column(mut target: faer::ColMut<'_, f64>, source: faer::ColRef<'_, f64>, weight: f64) {
    for i in 0..target.nrows() {
        target[i] = weight * source[i];
    }
}
