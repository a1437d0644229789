//! Squared distances of points with many dimensions, by a matrix product.
//!
//! `‖a − b‖² = ‖a‖² + ‖b‖² − 2aᵀb` loses what the norms and the distance do not share. Points are therefore centred
//! first, and every pair closer than a small share of its norms is computed again from its difference.

use std::ops::Range;

use faer::Accum;
use faer::prelude::ReborrowMut;
use gp_linalg::vector::dispatch;
use gp_optim::Parameter;
use pulp::{Simd, WithSimd};

use super::{per_input, slot};
use crate::kernel::{Block, BlockMut, Gradients, Pair, Points, column, column_mut, point, point_mut};
use crate::lanes::dot;
use crate::views::{self, multiply};
use crate::workspace::Workspace;

/// Pairs with `s < NEAR · (‖a‖² + ‖b‖²)` are computed again directly.
///
/// A product is good to a few ε √D of the norms; what is kept is then good to about 1e3 times that, relatively.
const NEAR: f64 = 1e-3;

/// Whether a squared distance is large enough beside the sum of both norms to be left to the product. A NaN, from norms
/// that overflow, is not.
#[inline(always)]
fn is_far(s: f64, both_norms: f64) -> bool {
    s > NEAR * both_norms
}

/// Both tables centred on the mean of the rows and divided by the length-scales.
struct Scaled {
    rows: Vec<f64>,
    cols: Vec<f64>,
    row_norms: Vec<f64>,
    col_norms: Vec<f64>,
}

impl Scaled {
    fn new(lengthscale: &Parameter, pair: Pair<'_>, ws: &mut Workspace) -> Self {
        let (m, n, dim) = (pair.rows.nrows(), pair.cols.nrows(), pair.dim());
        let mut centre = ws.take(dim);
        mean(pair.rows, &mut centre);
        let mut inverse = ws.take_dirty(dim);
        inverse.iter_mut().enumerate().for_each(|(d, x)| *x = 1.0 / per_input(lengthscale, d));
        let mut scaled = Self {
            rows: ws.take_dirty(m * dim),
            cols: ws.take_dirty(n * dim),
            row_norms: ws.take_dirty(m),
            col_norms: ws.take_dirty(n),
        };
        scale_points(pair.rows, &centre, &inverse, &mut scaled.rows, &mut scaled.row_norms);
        scale_points(pair.cols, &centre, &inverse, &mut scaled.cols, &mut scaled.col_norms);
        ws.give(centre);
        ws.give(inverse);
        scaled
    }

    fn give_back(self, ws: &mut Workspace) {
        for buffer in [self.rows, self.cols, self.row_norms, self.col_norms] {
            ws.give(buffer);
        }
    }
}

fn mean(points: Points<'_>, centre: &mut [f64]) {
    let share = 1.0 / points.nrows().max(1) as f64;
    for i in 0..points.nrows() {
        for (c, x) in centre.iter_mut().zip(point(points, i)) {
            *c += share * x;
        }
    }
}

/// One table of a pair: `(x − centre) ∘ inverse`, and the squared norms of the results.
fn scale_points(points: Points<'_>, centre: &[f64], inverse: &[f64], scaled: &mut [f64], norms: &mut [f64]) {
    dispatch(ScalePoints { points, centre, inverse, scaled, norms });
}

struct ScalePoints<'a> {
    points: Points<'a>,
    centre: &'a [f64],
    inverse: &'a [f64],
    scaled: &'a mut [f64],
    norms: &'a mut [f64],
}

impl WithSimd for ScalePoints<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let dim = self.centre.len();
        for (i, norm) in self.norms.iter_mut().enumerate() {
            let scaled = &mut self.scaled[i * dim..][..dim];
            let x = point(self.points, i);
            for (((s, x), c), r) in scaled.iter_mut().zip(x).zip(self.centre).zip(self.inverse) {
                *s = (x - c) * r;
            }
            *norm = dot(scaled, scaled);
        }
    }
}

/// Fills `out` with the squared distances of a pair in units of the length-scales.
pub(super) fn squared_distances(
    lengthscale: &Parameter,
    pair: Pair<'_>,
    out: BlockMut<'_>,
    ws: &mut Workspace,
    finish: impl FnMut(usize, Range<usize>, &mut [f64]),
) {
    let scaled = Scaled::new(lengthscale, pair, ws);
    distances_of(&scaled, lengthscale, pair, out, finish);
    scaled.give_back(ws);
}

fn distances_of(
    scaled: &Scaled,
    lengthscale: &Parameter,
    pair: Pair<'_>,
    mut out: BlockMut<'_>,
    mut finish: impl FnMut(usize, Range<usize>, &mut [f64]),
) {
    let (m, n, dim) = (pair.rows.nrows(), pair.cols.nrows(), pair.dim());
    let (rows, cols) = (views::points(&scaled.rows, m, dim), views::points(&scaled.cols, n, dim));
    let product = out.rb_mut().as_dyn_stride_mut();
    let (rows_dyn, cols_dyn) = (rows.as_dyn_stride(), cols.transpose().as_dyn_stride());
    multiply(product, Accum::Replace, rows_dyn, cols_dyn, -2.0);
    for j in 0..n {
        let s = column_mut(&mut out, j);
        let some_near = dispatch(AddNorms { s, row_norms: &scaled.row_norms, col_norm: scaled.col_norms[j] });
        if some_near {
            recompute_near(lengthscale, pair, j, scaled, s);
        }
        finish(j, 0..m, s);
    }
}

/// `s ← s + ‖a‖² + ‖b‖²`; says whether any result is near enough to need its difference.
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

fn recompute_near(lengthscale: &Parameter, pair: Pair<'_>, j: usize, scaled: &Scaled, s: &mut [f64]) {
    for (i, s) in s.iter_mut().enumerate() {
        if !is_far(*s, scaled.row_norms[i] + scaled.col_norms[j]) {
            *s = difference(lengthscale, point(pair.rows, i), point(pair.cols, j));
        }
    }
}

fn difference(lengthscale: &Parameter, a: &[f64], b: &[f64]) -> f64 {
    let square = |(d, (a, b)): (usize, (&f64, &f64))| ((a - b) / per_input(lengthscale, d)).powi(2);
    a.iter().zip(b).enumerate().map(square).sum()
}

/// The reverse of [`squared_distances`]: with `h` upstream and scaled points a, b,
/// `Σ_j h_ij (a_i − b_j) = a_i Σ_j h_ij − (H b)_i` gives every gradient from the products `H b` and `Hᵀ a`.
pub(super) fn squared_distances_reverse(
    lengthscale: &Parameter,
    pair: Pair<'_>,
    mut grads: Gradients<'_>,
    ws: &mut Workspace,
    slopes: impl FnMut(usize, Range<usize>, &mut [f64]),
) {
    let (m, n, dim) = (pair.rows.nrows(), pair.cols.nrows(), pair.dim());
    let scaled = Scaled::new(lengthscale, pair, ws);
    let mut buffer = ws.take_dirty(m * n);
    let mut far = ws.take_dirty(m);
    let tile = views::block_mut(&mut buffer, m, n);
    slopes_of(&scaled, lengthscale, pair, tile, (&mut far, &mut grads), slopes);
    ws.give(far);
    let upstream = views::block(&buffer, m, n);
    let (mut row_sums, mut col_sums) = (ws.take(m), ws.take(n));
    sums_of(upstream, &mut row_sums, &mut col_sums);

    let mut pulled = ws.take_dirty(m * dim);
    let cols = views::points(&scaled.cols, n, dim).as_dyn_stride();
    let pulled_view = views::points_mut(&mut pulled, m, dim).as_dyn_stride_mut();
    multiply(pulled_view, Accum::Replace, upstream.as_dyn_stride(), cols, 1.0);

    add_lengthscale_gradient(lengthscale, &scaled, &pulled, (&row_sums, &col_sums), grads.params, ws);
    if let Some(mut rows) = grads.rows {
        add_point_gradient(lengthscale, &scaled.rows, &row_sums, &pulled, &mut rows);
    }
    if let Some(mut cols) = grads.cols {
        let mut pushed = ws.take_dirty(n * dim);
        let rows = views::points(&scaled.rows, m, dim).as_dyn_stride();
        let pushed_view = views::points_mut(&mut pushed, n, dim).as_dyn_stride_mut();
        let transposed = upstream.transpose().as_dyn_stride();
        multiply(pushed_view, Accum::Replace, transposed, rows, 1.0);
        add_point_gradient(lengthscale, &scaled.cols, &col_sums, &pushed, &mut cols);
        ws.give(pushed);
    }
    for buffer in [row_sums, col_sums, pulled, buffer] {
        ws.give(buffer);
    }
    scaled.give_back(ws);
}

/// Fills `out` with the derivatives with respect to each distance, for pairs that are far enough apart for products.
///
/// `a Σh − H b` says what near points pull on each other only up to the rounding of its two large terms: they get zero
/// here, and their gradients are added from their differences.
fn slopes_of(
    scaled: &Scaled,
    lengthscale: &Parameter,
    pair: Pair<'_>,
    out: BlockMut<'_>,
    (far, grads): (&mut [f64], &mut Gradients<'_>),
    mut slopes: impl FnMut(usize, Range<usize>, &mut [f64]),
) {
    distances_of(scaled, lengthscale, pair, out, |j, rows, s| {
        for ((far, s), norm) in far.iter_mut().zip(s.iter()).zip(&scaled.row_norms) {
            *far = if is_far(*s, norm + scaled.col_norms[j]) { 1.0 } else { 0.0 };
        }
        slopes(j, rows, s);
        for (i, (s, far)) in s.iter_mut().zip(far.iter()).enumerate() {
            if *far == 0.0 {
                add_difference_gradient(lengthscale, pair, (i, j), *s, grads);
                *s = 0.0;
            }
        }
    });
}

/// Adds the gradients of `slope · s_ij` from the difference of the two points.
fn add_difference_gradient(
    lengthscale: &Parameter,
    pair: Pair<'_>,
    (i, j): (usize, usize),
    slope: f64,
    grads: &mut Gradients<'_>,
) {
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

fn sums_of(upstream: Block<'_>, row_sums: &mut [f64], col_sums: &mut [f64]) {
    for (j, col_sum) in col_sums.iter_mut().enumerate() {
        for (row_sum, h) in row_sums.iter_mut().zip(column(upstream, j)) {
            *row_sum += h;
            *col_sum += h;
        }
    }
}

/// `∂/∂x = 2 (a Σh − H b) / ℓ`, from the scaled points and what the product pulled together.
fn add_point_gradient(
    lengthscale: &Parameter,
    scaled: &[f64],
    sums: &[f64],
    pulled: &[f64],
    out: &mut crate::kernel::PointsMut<'_>,
) {
    let dim = out.ncols();
    for (i, sum) in sums.iter().enumerate() {
        let (a, hb) = (&scaled[i * dim..][..dim], &pulled[i * dim..][..dim]);
        for (d, out) in point_mut(out, i).iter_mut().enumerate() {
            *out += 2.0 * (a[d] * sum - hb[d]) / per_input(lengthscale, d);
        }
    }
}

/// `∂/∂ℓ_d = −2/ℓ_d Σ_ij h_ij (a_id − b_jd)²`, expanded so that only the product `H b` is needed.
fn add_lengthscale_gradient(
    lengthscale: &Parameter,
    scaled: &Scaled,
    pulled: &[f64],
    (row_sums, col_sums): (&[f64], &[f64]),
    params_grad: &mut [f64],
    ws: &mut Workspace,
) {
    let dim = pulled.len().checked_div(row_sums.len()).unwrap_or(0);
    let mut squares = ws.take(dim);
    for (i, sum) in row_sums.iter().enumerate() {
        let (a, hb) = (&scaled.rows[i * dim..][..dim], &pulled[i * dim..][..dim]);
        for ((square, a), hb) in squares.iter_mut().zip(a).zip(hb) {
            *square += a * (a * sum - 2.0 * hb);
        }
    }
    for (j, sum) in col_sums.iter().enumerate() {
        for (square, b) in squares.iter_mut().zip(&scaled.cols[j * dim..][..dim]) {
            *square += b * b * sum;
        }
    }
    for (d, square) in squares.iter().enumerate() {
        params_grad[slot(lengthscale, d)] -= 2.0 * square / per_input(lengthscale, d);
    }
    ws.give(squares);
}
