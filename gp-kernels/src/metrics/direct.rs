//! Sums by direct differences: exact at any offset, and the fastest way while points have few dimensions.

use gp_linalg::vector::dispatch;
use gp_optim::Parameter;
use pulp::{Simd, WithSimd};

use super::packed::{add_unpacked, pack};
use super::{Metric, Term};
use crate::kernel::{Block, BlockMut, Gradients, Pair, column, column_mut, point, point_mut};
use crate::workspace::Workspace;

/// Fills `out` with `Σ_d f_d(rows[i]_d − cols[j]_d)`.
pub fn sum_direct<M: Metric>(
    metric: &M,
    params: &[Parameter],
    pair: Pair<'_>,
    out: BlockMut<'_>,
    ws: &mut Workspace,
) {
    let mut packed = ws.take_dirty(pair.rows.nrows() * pair.dim());
    pack(pair.rows, &mut packed);
    dispatch(Forward { metric, params, pair, packed: &packed, out });
    ws.give(packed);
}

struct Forward<'a, M> {
    metric: &'a M,
    params: &'a [Parameter],
    pair: Pair<'a>,
    packed: &'a [f64],
    out: BlockMut<'a>,
}

impl<M: Metric> WithSimd for Forward<'_, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        let rows = self.pair.rows.nrows();
        for j in 0..self.pair.cols.nrows() {
            let sum = column_mut(&mut self.out, j);
            sum.fill(0.0);
            for (d, &col) in point(self.pair.cols, j).iter().enumerate() {
                self.metric.add_term(self.params, d, &self.packed[d * rows..][..rows], col, sum);
            }
        }
    }
}

/// The reverse of [`sum_direct`].
pub fn sum_direct_reverse<M: Metric>(
    metric: &M,
    params: &[Parameter],
    pair: Pair<'_>,
    upstream: Block<'_>,
    mut grads: Gradients<'_>,
    ws: &mut Workspace,
) {
    let size = pair.rows.nrows() * pair.dim();
    let mut packed = ws.take_dirty(size);
    pack(pair.rows, &mut packed);
    let mut rows_grad = ws.take(size);
    let Gradients { params: params_grad, rows, cols } = grads.for_params(0..grads.params.len());
    dispatch(Backward { metric, params, pair, packed: &packed, upstream, rows_grad: &mut rows_grad, params_grad, cols });
    if let Some(mut rows) = rows {
        add_unpacked(&rows_grad, &mut rows);
    }
    ws.give(packed);
    ws.give(rows_grad);
}

struct Backward<'a, M> {
    metric: &'a M,
    params: &'a [Parameter],
    pair: Pair<'a>,
    packed: &'a [f64],
    upstream: Block<'a>,
    rows_grad: &'a mut [f64],
    params_grad: &'a mut [f64],
    cols: Option<crate::kernel::PointsMut<'a>>,
}

impl<M: Metric> WithSimd for Backward<'_, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        let count = self.pair.rows.nrows();
        for j in 0..self.pair.cols.nrows() {
            let upstream = column(self.upstream, j);
            for (d, &col) in point(self.pair.cols, j).iter().enumerate() {
                let term = Term { rows: &self.packed[d * count..][..count], col };
                let rows_grad = &mut self.rows_grad[d * count..][..count];
                let grad = self.metric.reverse_term(self.params, d, term, upstream, rows_grad, self.params_grad);
                if let Some(cols) = &mut self.cols {
                    point_mut(cols, j)[d] += grad;
                }
            }
        }
    }
}
