//! Appending rows and columns (*cholext*).

use super::factor::{check_lower_finite, factor_in_place, pivot_is_sound};
use super::{Cholesky, Storage};
use crate::error::{LinalgError, check_extent, check_finite};
use crate::product::product_lower;
use crate::threading::Threading;
use crate::triangular;
use faer::reborrow::ReborrowMut as _;
use faer::{Accum, MatMut, MatRef};

impl Cholesky {
    /// Extends A to `[[A, B], [Bᵀ, C]]`, in `O(d²k)`.
    ///
    /// `b` is `d×k`, `c` `k×k` (lower triangle read). Beyond [`capacity`](Self::capacity) the buffer doubles. Add
    /// recorded jitter to `c`'s diagonal, if any.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`], [`LinalgError::NotFinite`]; [`LinalgError::ExtendBreakdown`] for
    /// new pivots below `(d + k)·ε` times their diagonal entry. Factor unchanged.
    pub fn extend(&mut self, b: MatRef<'_, f64>, c: MatRef<'_, f64>) -> Result<(), LinalgError> {
        let (d, k) = (self.dim(), c.nrows());
        check_extent("extend", "columns of c", k, c.ncols())?;
        check_extent("extend", "rows of b", d, b.nrows())?;
        check_extent("extend", "columns of b", k, b.ncols())?;
        check_finite("b", b)?;
        check_lower_finite("c", c)?;
        self.storage.reserve_amortised(d + k);
        append(&mut self.storage, b, c)?;
        self.storage.set_dim(d + k);
        Ok(())
    }
}

fn append(storage: &mut Storage, b: MatRef<'_, f64>, c: MatRef<'_, f64>) -> Result<(), LinalgError> {
    let (d, k) = (b.nrows(), b.ncols());
    let (leading, stack) = storage.leading_mut(d + k);
    // The upper right block has contiguous columns: workspace of the solve, zeroed at the end.
    let (l, mut solved, rows, mut corner) = leading.split_at_mut(d, d);
    solved.copy_from(b);
    triangular::solve(l.as_ref(), solved.rb_mut(), Threading::Here);
    copy_lower_triangle(corner.rb_mut(), c);
    subtract_gram(corner.rb_mut(), solved.as_ref());
    let outcome = factor_in_place(corner.rb_mut(), stack).and_then(|()| check_pivots(corner.as_ref(), c, d));
    if outcome.is_ok() {
        rows.transpose_mut().copy_from(solved.as_ref());
    }
    solved.fill(0.0);
    outcome.map_err(|pivot| LinalgError::ExtendBreakdown { dim: d, pivot })
}

fn subtract_gram(mut corner: MatMut<'_, f64>, x: MatRef<'_, f64>) {
    // For single rows, a product's setup costs more than the sum.
    if let (1, Some(x)) = (x.ncols(), x.try_as_col_major()) {
        corner[(0, 0)] -= sum_of_squares(x.col(0).as_slice());
    } else {
        product_lower(corner, Accum::Add, x.transpose(), x, -1.0, Threading::Here);
    }
}

fn sum_of_squares(x: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (chunks, rest) = x.as_chunks::<8>();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value * value;
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|value| value * value).sum::<f64>()
}

fn copy_lower_triangle(mut target: MatMut<'_, f64>, source: MatRef<'_, f64>) {
    for j in 0..source.ncols() {
        for i in j..source.nrows() {
            target[(i, j)] = source[(i, j)];
        }
    }
}

fn check_pivots(corner: MatRef<'_, f64>, c: MatRef<'_, f64>, dim: usize) -> Result<(), usize> {
    let k = corner.nrows();
    let floor = (dim + k) as f64 * f64::EPSILON;
    match (0..k).find(|&i| !pivot_is_sound(corner[(i, i)], c[(i, i)], floor)) {
        Some(pivot) => Err(pivot),
        None => Ok(()),
    }
}
