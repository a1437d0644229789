//! Pairs centred on the mean row, divided by length-scales.

use gp_linalg::vector::dispatch;
use gp_optim::Parameter;
use pulp::{Simd, WithSimd};

use super::per_input;
use crate::kernel::{Pair, Points, TileShape, point};
use crate::lanes::dot;
use crate::views;
use crate::workspace::Workspace;

#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    rows: usize,
    cols: usize,
    dim: usize,
    /// `true` if columns are the first rows, stored once.
    shared: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ScaledPair<'k> {
    sizes: Sizes,
    row_points: &'k [f64],
    col_points: &'k [f64],
    pub(super) row_norms: &'k [f64],
    pub(super) col_norms: &'k [f64],
}

impl Sizes {
    pub(super) fn of(shape: TileShape) -> Self {
        let TileShape { rows, cols, dim, same } = shape;
        Self { rows, cols, dim, shared: same && cols <= rows }
    }

    fn stored_cols(self) -> usize {
        if self.shared { 0 } else { self.cols }
    }

    pub(super) fn total(self) -> usize {
        (self.rows + self.stored_cols()) * (self.dim + 1)
    }

    /// Scales into a `buffer` of [`total`](Sizes::total) numbers.
    pub(super) fn scale<'k>(
        self,
        buffer: &'k mut [f64],
        lengthscale: &Parameter,
        pair: Pair<'_>,
        ws: &mut Workspace,
    ) -> ScaledPair<'k> {
        let (rows, rest) = buffer.split_at_mut(self.rows * self.dim);
        let (cols, rest) = rest.split_at_mut(self.stored_cols() * self.dim);
        let (row_norms, col_norms) = rest.split_at_mut(self.rows);
        let mut centre = ws.take(pair.dim());
        dispatch(AddMean { points: pair.rows, mean: &mut centre });
        let inverse = inverse_lengthscales(lengthscale, pair.dim(), ws);
        let (centre_of, by) = (&centre, &inverse);
        let scale = |points, scaled, norms| {
            dispatch(ScalePoints { points, centre: centre_of, inverse: by, scaled, norms });
        };
        scale(pair.rows, rows, row_norms);
        if !self.shared {
            scale(pair.cols, cols, col_norms);
        }
        ws.give(centre);
        ws.give(inverse);
        self.view(buffer)
    }

    /// View of a scaled buffer.
    pub(super) fn view(self, buffer: &[f64]) -> ScaledPair<'_> {
        let (row_points, rest) = buffer.split_at(self.rows * self.dim);
        let (own_points, rest) = rest.split_at(self.stored_cols() * self.dim);
        let (row_norms, rest) = rest.split_at(self.rows);
        let (col_points, col_norms) = if self.shared {
            (&row_points[..self.cols * self.dim], &row_norms[..self.cols])
        } else {
            (own_points, &rest[..self.cols])
        };
        ScaledPair { sizes: self, row_points, col_points, row_norms, col_norms }
    }
}

impl<'k> ScaledPair<'k> {
    pub(super) fn rows(&self) -> Points<'k> {
        views::points(self.row_points, self.sizes.rows, self.sizes.dim)
    }

    pub(super) fn cols(&self) -> Points<'k> {
        views::points(self.col_points, self.sizes.cols, self.sizes.dim)
    }

    pub(super) fn is_symmetric(&self) -> bool {
        self.sizes.shared && self.sizes.rows == self.sizes.cols
    }
}

pub(super) fn inverse_lengthscales(lengthscale: &Parameter, dim: usize, ws: &mut Workspace) -> Vec<f64> {
    let mut inverse = ws.take_dirty(dim);
    inverse.iter_mut().enumerate().for_each(|(d, x)| *x = 1.0 / per_input(lengthscale, d));
    inverse
}

struct AddMean<'a> {
    points: Points<'a>,
    mean: &'a mut [f64],
}

impl WithSimd for AddMean<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let share = 1.0 / self.points.nrows().max(1) as f64;
        for i in 0..self.points.nrows() {
            self.mean.iter_mut().zip(point(self.points, i)).for_each(|(mean, x)| *mean += share * x);
        }
    }
}

/// `(x − centre) ∘ inverse` of one table, and squared norms.
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
