//! Update: adds `W Wᵀ`.

use super::kernel::{Order, Rotation, rotate};
use super::sequence::{Sequence, Shape};
use super::{RotationScratch, rotation};
use crate::cholesky::Cholesky;
use crate::error::{LinalgError, check_extent, check_finite};
use crate::threading::Threading;
use faer::reborrow::ReborrowMut as _;
use faer::{MatMut, MatRef};
use std::ops::Range;

const BLOCK: usize = 16;

impl Cholesky {
    /// Adds `W Wᵀ` to the matrix; changes `drag` from `L⁻¹ C` to `L'⁻¹ C`.
    ///
    /// `w` is `d×k`, `drag` `d×m`, any strides ([`rotate::nothing`](super::nothing) for none); [`Threading::Pool`]
    /// divides `drag`. Jitter stays in the matrix. Non-finite columns of `drag` affect no others.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`], [`LinalgError::NotFinite`]; factor, `drag` unchanged.
    pub fn update(
        &mut self,
        w: MatRef<'_, f64>,
        drag: MatMut<'_, f64>,
        scratch: &mut RotationScratch,
        threading: Threading,
    ) -> Result<(), LinalgError> {
        check_extent("update", "rows of w", self.dim(), w.nrows())?;
        check_extent("update", "rows of the dragged columns", self.dim(), drag.nrows())?;
        check_finite("w", w)?;
        let (dim, rank) = (w.nrows(), w.ncols());
        let RotationScratch { directions, carried, sequence, .. } = scratch;
        sequence.reset(dim, rank);
        let mut directions = directions.shaped(dim, rank);
        directions.copy_from(w);
        for group in Sequence::groups(rank) {
            let w = directions.rb_mut().subcols_mut(group.start, group.len());
            rotate_factor(self.storage.factor_mut(), w, sequence, &group);
        }
        let mut carried = carried.shaped(rank, drag.ncols());
        carried.fill(0.0);
        sequence.apply(drag, carried, Order::Down, Shape::Full, threading);
        Ok(())
    }
}

/// Finds `[L W] Q = [L' 0]` for one group, by blocks of columns.
fn rotate_factor(
    mut l: MatMut<'_, f64>,
    mut w: MatMut<'_, f64>,
    sequence: &mut Sequence,
    group: &Range<usize>,
) {
    let dim = l.nrows();
    for start in (0..dim).step_by(BLOCK) {
        let end = dim.min(start + BLOCK);
        for column in start..end {
            eliminate_row(l.rb_mut(), w.rb_mut(), column, end, sequence.row_mut(group, column));
        }
        let below = l.rb_mut().submatrix_mut(end, start, dim - end, end - start);
        let w_below = w.rb_mut().subrows_mut(end, dim - end);
        let rotations = sequence.group(group, start..end);
        rotate(rotations, below.transpose_mut(), w_below.transpose_mut(), Order::Down);
    }
}

fn eliminate_row(
    l: MatMut<'_, f64>,
    mut w: MatMut<'_, f64>,
    column: usize,
    end: usize,
    rotations: &mut [Rotation],
) {
    let mut l = l.col_mut(column).subrows_mut(column, end - column);
    let mut w = w.rb_mut().subrows_mut(column, end - column);
    for (direction, found) in rotations.iter_mut().enumerate() {
        let mut w = w.rb_mut().col_mut(direction);
        let (c, s, length) = rotation(l[0], w[0]);
        *found = [c, s];
        l[0] = length;
        for i in 1..end - column {
            let (x, t) = (l[i], w[i]);
            l[i] = c * x + s * t;
            w[i] = c * t - s * x;
        }
    }
}
