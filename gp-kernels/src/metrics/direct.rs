//! Distances from coordinate differences: exact at any offset, fast in few dimensions.
//!
//! Bands of rows stay in the first-level cache.

use std::ops::Range;

use gp_linalg::vector::dispatch;
use gp_optim::Parameter;
use pulp::{Simd, WithSimd};

use super::packed::{add_unpacked, pack};
use super::{Metric, Term, TermGradient, add_param_gradient};
use crate::kernel::{BlockMut, Gradients, Pair, PointsMut, column_mut, point, point_mut};
use crate::workspace::Workspace;

/// Rows per band: half of 32 KiB in 8 dimensions.
const BAND: usize = 128;
const HELD: usize = 16;

fn bands(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(BAND).map(move |start| start..rows.min(start + BAND))
}

/// Writes and records `Σ_d f_d(rows[i]_d − cols[j]_d)`; see [`Metric::sums`].
pub fn sum_direct<M: Metric>(
    params: &[Parameter],
    pair: Pair<'_>,
    out: BlockMut<'_>,
    record: &mut [f64],
    ws: &mut Workspace,
    mut finish: impl FnMut(usize, Range<usize>, &mut [f64]),
) {
    let rows = PackedRows::<M>::new(params, pair, ws);
    let m = rows.count;
    let finish = |j: usize, band: Range<usize>, s: &mut [f64]| {
        if !record.is_empty() {
            record[j * m..][band.clone()].copy_from_slice(s);
        }
        finish(j, band, s);
    };
    dispatch(Forward { rows: &rows, pair, out, finish });
    rows.give_back(ws);
}

/// Row points and constants by dimension.
struct PackedRows<M> {
    count: usize,
    packed: Vec<f64>,
    constants: Vec<f64>,
    metric: std::marker::PhantomData<M>,
}

impl<M: Metric> PackedRows<M> {
    fn new(params: &[Parameter], pair: Pair<'_>, ws: &mut Workspace) -> Self {
        let (count, dim) = (pair.rows.nrows(), pair.dim());
        let mut packed = ws.take_dirty(count * dim);
        pack(pair.rows, &mut packed);
        let mut constants = ws.take_dirty(2 * dim);
        for (d, constant) in constants.chunks_exact_mut(2).enumerate() {
            constant.copy_from_slice(&M::constants(params, d));
        }
        Self { count, packed, constants, metric: std::marker::PhantomData }
    }

    fn give_back(self, ws: &mut Workspace) {
        ws.give(self.packed);
        ws.give(self.constants);
    }

    #[inline(always)]
    fn constants(&self, d: usize) -> [f64; 2] {
        [self.constants[2 * d], self.constants[2 * d + 1]]
    }

    #[inline(always)]
    fn coordinates(&self, d: usize, rows: Range<usize>) -> &[f64] {
        &self.packed[d * self.count..][rows]
    }

    #[inline(always)]
    fn sum(&self, rows: Range<usize>, col: &[f64], sum: &mut [f64]) {
        let (held, rest) = sum.as_chunks_mut::<HELD>();
        let mut start = rows.start;
        for sum in held {
            let mut total = [0.0; HELD];
            for (d, &col) in col.iter().enumerate() {
                M::add_term(self.constants(d), self.coordinates(d, start..start + HELD), col, &mut total);
            }
            *sum = total;
            start += HELD;
        }
        rest.fill(0.0);
        for (d, &col) in col.iter().enumerate() {
            M::add_term(self.constants(d), self.coordinates(d, start..rows.end), col, rest);
        }
    }
}

struct Forward<'a, M, F> {
    rows: &'a PackedRows<M>,
    pair: Pair<'a>,
    out: BlockMut<'a>,
    finish: F,
}

impl<M: Metric, F: FnMut(usize, Range<usize>, &mut [f64])> WithSimd for Forward<'_, M, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        for band in bands(self.rows.count) {
            for j in 0..self.pair.cols.nrows() {
                let sum = &mut column_mut(&mut self.out, j)[band.clone()];
                self.rows.sum(band.clone(), point(self.pair.cols, j), sum);
                (self.finish)(j, band.clone(), sum);
            }
        }
    }
}

/// Reverse of [`sum_direct`], as [`Metric::sums_reverse`].
pub fn sum_direct_reverse<M: Metric>(
    params: &[Parameter],
    pair: Pair<'_>,
    grads: Gradients<'_>,
    record: &[f64],
    ws: &mut Workspace,
    slopes: impl FnMut(usize, Range<usize>, &mut [f64]),
) {
    let dim = pair.dim();
    let sums = (!record.is_empty()).then_some(record);
    let rows = PackedRows::<M>::new(params, pair, ws);
    let (mut rows_grad, mut by_param) = (ws.take(rows.packed.len()), ws.take(2 * dim));
    let Gradients { params: params_grad, rows: to_rows, cols } = grads;
    let (to_packed, to_params) = (&mut rows_grad, &mut by_param);
    dispatch(Backward { rows: &rows, sums, pair, rows_grad: to_packed, by_param: to_params, cols, slopes });
    for (d, by) in by_param.chunks_exact(2).enumerate() {
        add_param_gradient(params, d, [by[0], by[1]], params_grad);
    }
    if let Some(mut out) = to_rows {
        add_unpacked(&rows_grad, &mut out);
    }
    ws.give(rows_grad);
    ws.give(by_param);
    rows.give_back(ws);
}

struct Backward<'a, M, F> {
    rows: &'a PackedRows<M>,
    /// Recorded distances by column.
    sums: Option<&'a [f64]>,
    pair: Pair<'a>,
    rows_grad: &'a mut [f64],
    by_param: &'a mut [f64],
    cols: Option<PointsMut<'a>>,
    slopes: F,
}

impl<M: Metric, F: FnMut(usize, Range<usize>, &mut [f64])> WithSimd for Backward<'_, M, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        let mut buffer = [0.0; BAND];
        for band in bands(self.rows.count) {
            let upstream = &mut buffer[..band.len()];
            for j in 0..self.pair.cols.nrows() {
                match self.sums {
                    Some(sums) => upstream.copy_from_slice(&sums[j * self.rows.count..][band.clone()]),
                    None => self.rows.sum(band.clone(), point(self.pair.cols, j), upstream),
                }
                (self.slopes)(j, band.clone(), upstream);
                for d in 0..self.pair.dim() {
                    let TermGradient { col, params } = self.term(band.clone(), j, d, upstream);
                    self.by_param[2 * d] += params[0];
                    self.by_param[2 * d + 1] += params[1];
                    if let Some(cols) = &mut self.cols {
                        point_mut(cols, j)[d] += col;
                    }
                }
            }
        }
    }
}

impl<M: Metric, F> Backward<'_, M, F> {
    #[inline(always)]
    fn term(&mut self, band: Range<usize>, j: usize, d: usize, upstream: &[f64]) -> TermGradient {
        let term = Term { rows: self.rows.coordinates(d, band.clone()), col: point(self.pair.cols, j)[d] };
        let rows_grad = &mut self.rows_grad[d * self.rows.count..][band];
        M::reverse_term(self.rows.constants(d), term, upstream, rows_grad)
    }
}
