//! Squared distances by a matrix product, `‖a − b‖² = ‖a‖² + ‖b‖² − 2aᵀb`.
//!
//! Centred points and differences of near pairs prevent cancellation.

use std::ops::Range;

use faer::Accum;
use faer::prelude::ReborrowMut;
use gp_linalg::vector::dispatch;
use gp_optim::Parameter;
use pulp::{Simd, WithSimd};

use super::scaled::{ScaledPair, Sizes, inverse_lengthscales};
use super::{per_input, pull_back, slot};
use crate::kernel::{Block, BlockMut, Gradients, Pair, TileShape, column, column_mut, point, point_mut};
use crate::lanes::sum;
use crate::views::{self, mirror, multiply, multiply_self};
use crate::workspace::Workspace;

/// Fraction of squared norms below which pairs are recomputed.
///
/// Other pairs have relative errors up to 1000 times a few ε √D.
const NEAR: f64 = 1e-3;

/// `true` if the product is accurate; false for NaN.
#[inline(always)]
fn is_far(s: f64, both_norms: f64) -> bool {
    s > NEAR * both_norms
}

/// Scaled points, norms, squared distances.
pub(super) fn record_len(shape: TileShape) -> usize {
    Sizes::of(shape).total() + shape.rows * shape.cols
}

fn fill_record(record: &mut [f64], lengthscale: &Parameter, pair: Pair<'_>, ws: &mut Workspace) {
    let sizes = Sizes::of(pair.shape());
    let (points, distances) = record.split_at_mut(sizes.total());
    let scaled = sizes.scale(points, lengthscale, pair, ws);
    let distances = views::block_mut(distances, pair.rows.nrows(), pair.cols.nrows());
    fill_distances(scaled, lengthscale, pair, distances);
}

pub(super) fn squared_distances(
    lengthscale: &Parameter,
    pair: Pair<'_>,
    mut out: BlockMut<'_>,
    record: &mut [f64],
    ws: &mut Workspace,
    mut finish: impl FnMut(usize, Range<usize>, &mut [f64]),
) {
    let (m, n, sizes) = (pair.rows.nrows(), pair.cols.nrows(), Sizes::of(pair.shape()));
    if record.is_empty() {
        let mut points = ws.take_dirty(sizes.total());
        let scaled = sizes.scale(&mut points, lengthscale, pair, ws);
        fill_distances(scaled, lengthscale, pair, out.rb_mut());
        ws.give(points);
    } else {
        fill_record(record, lengthscale, pair, ws);
        out.copy_from(views::block(&record[sizes.total()..], m, n));
    }
    for j in 0..n {
        finish(j, 0..m, column_mut(&mut out, j));
    }
}

fn fill_distances(scaled: ScaledPair<'_>, lengthscale: &Parameter, pair: Pair<'_>, mut out: BlockMut<'_>) {
    // The matrix is symmetric: half of the product is enough.
    let symmetric = scaled.is_symmetric();
    let product = out.rb_mut().as_dyn_stride_mut();
    if symmetric {
        multiply_self(product, scaled.rows(), -2.0);
    } else {
        let (rows, cols) = (scaled.rows().as_dyn_stride(), scaled.cols().transpose().as_dyn_stride());
        multiply(product, Accum::Replace, rows, cols, -2.0);
    }
    for (j, &col_norm) in scaled.col_norms.iter().enumerate() {
        let first = if symmetric { j } else { 0 };
        let s = &mut column_mut(&mut out, j)[first..];
        let row_norms = &scaled.row_norms[first..];
        if dispatch(AddNorms { s, row_norms, col_norm }) {
            recompute_near(lengthscale, pair, (first, j), (row_norms, col_norm), s);
        }
    }
    if symmetric {
        mirror(out.as_dyn_stride_mut());
    }
}

/// `s ← s + ‖a‖² + ‖b‖²`; true if a pair must be recomputed.
struct AddNorms<'a> {
    s: &'a mut [f64],
    row_norms: &'a [f64],
    col_norm: f64,
}

impl WithSimd for AddNorms<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        let mut near = [0.0; 8];
        let (s8, s_rest) = self.s.as_chunks_mut::<8>();
        let (norms8, norms_rest) = self.row_norms.as_chunks::<8>();
        for (s, norms) in s8.iter_mut().zip(norms8) {
            for l in 0..8 {
                let both = norms[l] + self.col_norm;
                s[l] += both;
                near[l] = if is_far(s[l], both) { near[l] } else { 1.0 };
            }
        }
        for (s, norm) in s_rest.iter_mut().zip(norms_rest) {
            let both = norm + self.col_norm;
            *s += both;
            near[0] = if is_far(*s, both) { near[0] } else { 1.0 };
        }
        near != [0.0; 8]
    }
}

/// Recomputes small distances of column j.
fn recompute_near(
    lengthscale: &Parameter,
    pair: Pair<'_>,
    (first, j): (usize, usize),
    (row_norms, col_norm): (&[f64], f64),
    s: &mut [f64],
) {
    for (i, (s, norm)) in s.iter_mut().zip(row_norms).enumerate() {
        if !is_far(*s, norm + col_norm) {
            let i = first + i;
            let itself = pair.same && i == j;
            *s = if itself { 0.0 } else { difference(lengthscale, point(pair.rows, i), point(pair.cols, j)) };
        }
    }
}

fn difference(lengthscale: &Parameter, a: &[f64], b: &[f64]) -> f64 {
    let square = |(d, (a, b)): (usize, (&f64, &f64))| ((a - b) / per_input(lengthscale, d)).powi(2);
    a.iter().zip(b).enumerate().map(square).sum()
}

/// Reverse of [`squared_distances`], by `Σ_j h_ij (a_i − b_j) = a_i Σ_j h_ij − (H b)_i`, upstream H.
pub(super) fn squared_distances_reverse(
    lengthscale: &Parameter,
    pair: Pair<'_>,
    mut grads: Gradients<'_>,
    record: &[f64],
    ws: &mut Workspace,
    slopes: impl FnMut(usize, Range<usize>, &mut [f64]),
) {
    let (m, n, sizes) = (pair.rows.nrows(), pair.cols.nrows(), Sizes::of(pair.shape()));
    let mut own = Vec::new();
    if record.is_empty() {
        own = ws.take_dirty(record_len(pair.shape()));
        fill_record(&mut own, lengthscale, pair, ws);
    }
    let record = if record.is_empty() { &own } else { record };
    let (scaled, distances) = (sizes.view(record), views::block(&record[sizes.total()..], m, n));
    let mut buffer = ws.take_dirty(m * n);
    let (mut row_sums, mut col_sums) = (ws.take(m), ws.take_dirty(n));
    let mut upstream = views::block_mut(&mut buffer, m, n);
    fill_slopes(scaled, lengthscale, pair, (distances, upstream.rb_mut()), &mut grads, slopes);
    for (j, col_sum) in col_sums.iter_mut().enumerate() {
        *col_sum = dispatch(AddColumn { column: column_mut(&mut upstream, j), sums: &mut row_sums });
    }
    let upstream = pull_back::DistanceDerivatives {
        upstream: views::block(&buffer, m, n),
        rows: &row_sums,
        cols: &col_sums,
    };
    let inverse = inverse_lengthscales(lengthscale, pair.dim(), ws);
    pull_back::pull_back(lengthscale, &inverse, scaled, upstream, grads, ws);
    for buffer in [row_sums, col_sums, buffer, inverse] {
        ws.give(buffer);
    }
    if !own.is_empty() {
        ws.give(own);
    }
}

/// Writes derivatives by distances. Near pairs, which rounding of `a Σh − H b` would spoil, get 0 and
/// gradients from differences.
fn fill_slopes(
    scaled: ScaledPair<'_>,
    lengthscale: &Parameter,
    pair: Pair<'_>,
    (distances, mut out): (Block<'_>, BlockMut<'_>),
    grads: &mut Gradients<'_>,
    mut slopes: impl FnMut(usize, Range<usize>, &mut [f64]),
) {
    for (j, &col_norm) in scaled.col_norms.iter().enumerate() {
        let (s, h) = (column(distances, j), column_mut(&mut out, j));
        h.copy_from_slice(s);
        slopes(j, 0..s.len(), h);
        if !dispatch(AnyNear { s, row_norms: scaled.row_norms, col_norm }) {
            continue;
        }
        for (i, (h, s)) in h.iter_mut().zip(s).enumerate() {
            if !is_far(*s, scaled.row_norms[i] + col_norm) {
                add_difference_gradient(lengthscale, pair, (i, j), *h, grads);
                *h = 0.0;
            }
        }
    }
}

struct AnyNear<'a> {
    s: &'a [f64],
    row_norms: &'a [f64],
    col_norm: f64,
}

impl WithSimd for AnyNear<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> bool {
        let mut near = [0.0; 8];
        let (s8, s_rest) = self.s.as_chunks::<8>();
        let (norms8, norms_rest) = self.row_norms.as_chunks::<8>();
        for (s, norms) in s8.iter().zip(norms8) {
            for l in 0..8 {
                near[l] = if is_far(s[l], norms[l] + self.col_norm) { near[l] } else { 1.0 };
            }
        }
        let rest_near = s_rest.iter().zip(norms_rest).any(|(s, norm)| !is_far(*s, norm + self.col_norm));
        near != [0.0; 8] || rest_near
    }
}

/// `sums ← sums + column`; returns `Σ column`.
struct AddColumn<'a> {
    column: &'a [f64],
    sums: &'a mut [f64],
}

impl WithSimd for AddColumn<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        self.sums.iter_mut().zip(self.column).for_each(|(sum, h)| *sum += h);
        sum(self.column)
    }
}

/// Adds gradients of `slope · s_ij`, from differences.
fn add_difference_gradient(
    lengthscale: &Parameter,
    pair: Pair<'_>,
    (i, j): (usize, usize),
    slope: f64,
    grads: &mut Gradients<'_>,
) {
    // The distance of a point to itself is always 0.
    if pair.same && i == j {
        return;
    }
    for (d, (a, b)) in point(pair.rows, i).iter().zip(point(pair.cols, j)).enumerate() {
        let scale = per_input(lengthscale, d);
        let delta = (a - b) / scale;
        let pull = 2.0 * (slope * delta) / scale;
        grads.params[slot(lengthscale, d)] -= pull * delta;
        if let Some(rows) = &mut grads.rows {
            point_mut(rows, i)[d] += pull;
        }
        if let Some(cols) = &mut grads.cols {
            point_mut(cols, j)[d] -= pull;
        }
    }
}
