//! Reverse of squared distances, by products.

use faer::{Accum, MatRef};
use gp_linalg::vector::dispatch;
use gp_optim::Parameter;
use pulp::{Simd, WithSimd};

use super::scaled::ScaledPair;
use super::slot;
use crate::kernel::{Block, Gradients, Points, PointsMut, point, point_mut};
use crate::views::{self, multiply};
use crate::workspace::Workspace;

#[derive(Clone, Copy)]
pub(super) struct DistanceDerivatives<'a> {
    pub(super) upstream: Block<'a>,
    pub(super) rows: &'a [f64],
    pub(super) cols: &'a [f64],
}

/// Adds `∂/∂x = 2 (a Σh − H b) / ℓ` and, by `H b` only, `∂/∂ℓ_d = −2/ℓ_d Σ_ij h_ij (a_id − b_jd)²`; `inverse` is 1/ℓ.
pub(super) fn pull_back(
    lengthscale: &Parameter,
    inverse: &[f64],
    scaled: ScaledPair<'_>,
    slopes: DistanceDerivatives<'_>,
    grads: Gradients<'_>,
    ws: &mut Workspace,
) {
    let (rows, cols, dim) = (scaled.rows(), scaled.cols(), inverse.len());
    let Gradients { params, rows: to_rows, cols: to_cols } = grads;
    let mut squares = ws.take(dim);

    let upstream = slopes.upstream.as_dyn_stride();
    let mut pulled = ws.take_dirty(rows.nrows().max(cols.nrows()) * dim);
    multiply_points(&mut pulled, upstream, cols);
    let pulled_rows = views::points(&pulled, rows.nrows(), dim);
    let squares_of = Some(&mut squares[..]);
    let (sums, out) = (slopes.rows, to_rows);
    dispatch(AddPoints { points: rows, pulled: pulled_rows, sums, inverse, squares: squares_of, out });

    dispatch(AddSquares { points: cols, sums: slopes.cols, squares: &mut squares });
    if to_cols.is_some() {
        multiply_points(&mut pulled, upstream.transpose(), rows);
        let pulled = views::points(&pulled, cols.nrows(), dim);
        let (sums, out) = (slopes.cols, to_cols);
        dispatch(AddPoints { points: cols, pulled, sums, inverse, squares: None, out });
    }
    ws.give(pulled);
    for (d, square) in squares.iter().enumerate() {
        params[slot(lengthscale, d)] -= 2.0 * square * inverse[d];
    }
    ws.give(squares);
}

/// `out ← weights · points`, row by row.
fn multiply_points(out: &mut [f64], weights: MatRef<'_, f64>, points: Points<'_>) {
    let out = views::points_mut(out, weights.nrows(), points.ncols()).as_dyn_stride_mut();
    multiply(out, Accum::Replace, weights, points.as_dyn_stride(), 1.0);
}

/// `squares ← squares + Σ_i a_i (a_i Σh − 2 H b)`, `out ← out + 2 (a Σh − H b) / ℓ`.
struct AddPoints<'a> {
    points: Points<'a>,
    pulled: Points<'a>,
    sums: &'a [f64],
    inverse: &'a [f64],
    squares: Option<&'a mut [f64]>,
    out: Option<PointsMut<'a>>,
}

impl WithSimd for AddPoints<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        for (i, sum) in self.sums.iter().enumerate() {
            let (a, hb) = (point(self.points, i), point(self.pulled, i));
            if let Some(squares) = &mut self.squares {
                for ((square, a), hb) in squares.iter_mut().zip(a).zip(hb) {
                    *square += a * (a * sum - 2.0 * hb);
                }
            }
            if let Some(out) = &mut self.out {
                for (((out, a), hb), inverse) in point_mut(out, i).iter_mut().zip(a).zip(hb).zip(self.inverse)
                {
                    *out += 2.0 * (a * sum - hb) * inverse;
                }
            }
        }
    }
}

/// `squares ← squares + Σ_j b_j² Σh`
struct AddSquares<'a> {
    points: Points<'a>,
    sums: &'a [f64],
    squares: &'a mut [f64],
}

impl WithSimd for AddSquares<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (j, sum) in self.sums.iter().enumerate() {
            for (square, b) in self.squares.iter_mut().zip(point(self.points, j)) {
                *square += b * b * sum;
            }
        }
    }
}
