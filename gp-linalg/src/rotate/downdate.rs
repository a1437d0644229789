//! Downdate: subtracts `W Wᵀ`.

use super::kernel::{Order, rotate};
use super::sequence::{Sequence, Shape};
use super::{Block, RotationScratch, rotation};
use crate::cholesky::{Cholesky, JitterPolicy};
use crate::error::{LinalgError, check_extent, check_finite};
use crate::product::{product, product_lower};
use crate::threading::Threading;
use crate::triangular;
use faer::reborrow::ReborrowMut as _;
use faer::{Accum, MatMut, MatRef};
use std::ops::Range;

impl Cholesky {
    /// Subtracts `W Wᵀ` from the matrix; changes `drag` like [`update`](Self::update).
    ///
    /// # Errors
    /// [`LinalgError::DowndateBreakdown`] if a pivot of `I − PᵀP`, `P = L⁻¹W`, is ≤ `d·ε`;
    /// [`LinalgError::DimensionMismatch`], [`LinalgError::NotFinite`]. Factor, `drag` unchanged.
    pub fn downdate(
        &mut self,
        w: MatRef<'_, f64>,
        drag: MatMut<'_, f64>,
        scratch: &mut RotationScratch,
        threading: Threading,
    ) -> Result<(), LinalgError> {
        check_extent("downdate", "rows of w", self.dim(), w.nrows())?;
        check_extent("downdate", "rows of the dragged columns", self.dim(), drag.nrows())?;
        check_finite("w", w)?;
        let (dim, rank) = (w.nrows(), w.ncols());
        let RotationScratch { directions, carried, remainder, remainder_factor, sequence } = scratch;
        let mut p = directions.shaped(dim, rank);
        p.copy_from(w);
        triangular::solve(self.l(), p.rb_mut(), threading);
        factor_remainder(remainder_factor, remainder, p.as_ref())?;
        let s_transpose = remainder_factor.l();

        // T = −S⁻ᵀ Pᵀ X, before `find_rotations` overwrites P.
        let mut t = carried.shaped(rank, drag.ncols());
        product(t.rb_mut(), Accum::Replace, p.as_ref().transpose(), drag.as_ref(), -1.0, threading);
        triangular::solve(s_transpose, t.rb_mut(), threading);

        sequence.reset(dim, rank);
        find_rotations(sequence, p, s_transpose, remainder);
        sequence.apply(drag, t, Order::Up, Shape::Full, threading);

        // The rows that become Wᵀ start from zero.
        let mut y = carried.shaped(rank, dim);
        y.fill(0.0);
        let factor = self.storage.factor_mut().transpose_mut();
        sequence.apply(factor, y, Order::Up, Shape::Upper, threading);
        Ok(())
    }
}

fn factor_remainder(
    factor: &mut Cholesky,
    memory: &mut Block,
    p: MatRef<'_, f64>,
) -> Result<(), LinalgError> {
    let (dim, rank) = (p.nrows(), p.ncols());
    let mut remainder = memory.shaped(rank, rank);
    remainder.fill(0.0);
    for i in 0..rank {
        remainder[(i, i)] = 1.0;
    }
    product_lower(remainder.rb_mut(), Accum::Add, p.transpose(), p, -1.0, Threading::Here);
    let pivot = match factor.refactor(remainder.as_ref(), &JitterPolicy::none()) {
        Ok(()) => {
            let floor = (dim as f64 * f64::EPSILON).sqrt();
            (0..rank).find(|&i| factor.l()[(i, i)] <= floor)
        }
        Err(LinalgError::NotPositiveDefinite { record, .. }) => record.pivot.or(Some(0)),
        Err(LinalgError::Stopped) => return Err(LinalgError::Stopped),
        // PᵀP overflowed: W is far too large for L.
        Err(_) => Some(0),
    };
    match pivot {
        Some(pivot) => Err(LinalgError::DowndateBreakdown { pivot, rank }),
        None => Ok(()),
    }
}

/// Finds rotations with `Q [P; S] = [0; I]` by groups; each also rotates later columns of P and S.
fn find_rotations(
    sequence: &mut Sequence,
    mut p: MatMut<'_, f64>,
    s_transpose: MatRef<'_, f64>,
    memory: &mut Block,
) {
    let (dim, rank) = (p.nrows(), p.ncols());
    for group in Sequence::groups(rank) {
        let (current, later) =
            p.rb_mut().subcols_mut(group.start, rank - group.start).split_at_col_mut(group.len());
        let mut s = memory.shaped(group.len(), rank - group.start);
        s.copy_from(
            s_transpose.submatrix(group.start, group.start, rank - group.start, group.len()).transpose(),
        );
        let (s_current, s_later) = s.split_at_col_mut(group.len());
        eliminate(sequence, &group, current, s_current);
        rotate(sequence.group(&group, 0..dim), later, s_later, Order::Up);
    }
}

fn eliminate(sequence: &mut Sequence, group: &Range<usize>, mut p: MatMut<'_, f64>, mut s: MatMut<'_, f64>) {
    let rank = group.len();
    for i in (0..p.nrows()).rev() {
        for (r, found) in sequence.row_mut(group, i).iter_mut().enumerate() {
            let (c, sine, length) = rotation(s[(r, r)], p[(i, r)]);
            // `rotate` takes the row of P first, hence the sign.
            *found = [c, -sine];
            s[(r, r)] = length;
            for j in r + 1..rank {
                let (carried, row) = (s[(r, j)], p[(i, j)]);
                s[(r, j)] = c * carried + sine * row;
                p[(i, j)] = c * row - sine * carried;
            }
        }
    }
}
