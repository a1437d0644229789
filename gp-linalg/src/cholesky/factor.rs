//! Factorisation with the smallest sufficient jitter.

use super::jitter::{JitterPolicy, most_correlated};
use super::{Cholesky, Storage};
use crate::error::{LinalgError, check_column_finite, check_extent, is_finite_column};
use crate::jitter_record::JitterRecord;
use crate::product::product;
use crate::stop_condition;
use crate::threading::Threading;
use crate::triangular;
use crate::upper_state::clear_upper_vector_state;
use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place};
use faer::reborrow::ReborrowMut as _;
use faer::{Accum, ColMut, ColRef, MatMut, MatRef, Par};

impl Cholesky {
    /// Factors `a`; allocates only beyond the capacity.
    ///
    /// # Errors
    /// As [`factor`](Self::factor); failed attempts leave dimension 0 and their record.
    pub fn refactor(&mut self, a: MatRef<'_, f64>, policy: &JitterPolicy) -> Result<(), LinalgError> {
        self.refactor_on(a, policy, Threading::Here)
    }

    /// [`refactor`](Self::refactor) with threads, same bits.
    ///
    /// # Errors
    /// As [`refactor`](Self::refactor).
    pub fn refactor_on(
        &mut self,
        a: MatRef<'_, f64>,
        policy: &JitterPolicy,
        threading: Threading,
    ) -> Result<(), LinalgError> {
        check_extent("factor", "columns", a.nrows(), a.ncols())?;
        policy.check()?;
        let dim = a.nrows();
        self.storage.truncate(0);
        self.storage.reserve(dim);
        self.jitter = JitterRecord::default();
        let scale = mean_absolute_diagonal(a);
        for rung in policy.rungs() {
            self.jitter.added = rung * scale;
            self.jitter.attempts += 1;
            match attempt(&mut self.storage, a, (rung * scale, policy.pivot_floor), threading) {
                Ok(()) => {
                    self.storage.set_dim(dim);
                    return Ok(());
                }
                Err(Failure::Stopped) => return Err(LinalgError::Stopped),
                Err(Failure::Pivot(pivot)) => self.explain_failure(a, pivot)?,
            }
        }
        Err(LinalgError::NotPositiveDefinite { dim, record: self.jitter.clone() })
    }

    /// Sets `L`; allocates only beyond the capacity.
    ///
    /// # Errors
    /// [`LinalgError::DimensionMismatch`] unless square (factor unchanged), [`LinalgError::InvalidFactor`] unless
    /// finite with positive diagonal (dimension 0).
    pub fn set_factor(&mut self, lower: MatRef<'_, f64>) -> Result<(), LinalgError> {
        check_extent("set_factor", "columns", lower.nrows(), lower.ncols())?;
        let dim = lower.nrows();
        self.storage.truncate(0);
        self.storage.reserve(dim);
        self.jitter = JitterRecord::default();
        let (mut l, _) = self.storage.leading_mut(dim);
        copy_lower(l.rb_mut(), lower);
        for j in 0..dim {
            let column = l.as_ref().col(j).subrows(j, dim - j);
            if !(column[0] > 0.0 && is_finite_column(column)) {
                return Err(invalid_factor(column, j));
            }
        }
        self.storage.set_dim(dim);
        Ok(())
    }

    /// Records the first failure; non-finite matrices always fail, so only failures look for NaN.
    fn explain_failure(&mut self, a: MatRef<'_, f64>, pivot: usize) -> Result<(), LinalgError> {
        if self.jitter.pivot.is_none() {
            check_lower_finite("matrix", a)?;
            self.jitter.pivot = Some(pivot);
            self.jitter.closest = most_correlated(a, pivot);
        }
        Ok(())
    }
}

fn invalid_factor(column: ColRef<'_, f64>, j: usize) -> LinalgError {
    let mut entries = column.iter().copied().enumerate();
    let wrong = entries.find(|&(i, value)| !(value.is_finite() && (i > 0 || value > 0.0)));
    let (i, value) = wrong.unwrap_or((0, column[0]));
    LinalgError::InvalidFactor { reason: format!("{value} at row {}, column {j}", i + j) }
}

enum Failure {
    Pivot(usize),
    Stopped,
}

/// Columns per panel, unless one of up to twice this width holds all; work can stop between panels.
const PANEL: usize = 512;

fn attempt(
    storage: &mut Storage,
    a: MatRef<'_, f64>,
    (added, pivot_floor): (f64, f64),
    threading: Threading,
) -> Result<(), Failure> {
    let dim = a.nrows();
    let (mut leading, stack) = storage.leading_mut(dim);
    copy_lower(leading.rb_mut(), a);
    for i in 0..dim {
        leading[(i, i)] += added;
    }
    let done = factor_in_panels(leading.rb_mut(), stack, threading);
    if done.is_err() {
        // Storage outside the factor must have zeros above the diagonal.
        clear_above(leading.rb_mut());
    }
    done?;
    let floor = pivot_floor * dim as f64 * f64::EPSILON;
    match (0..dim).find(|&i| !pivot_is_sound(leading[(i, i)], a[(i, i)] + added, floor)) {
        Some(pivot) => Err(Failure::Pivot(pivot)),
        None => Ok(()),
    }
}

fn factor_in_panels(
    mut matrix: MatMut<'_, f64>,
    stack: &mut MemStack,
    threading: Threading,
) -> Result<(), Failure> {
    let dim = matrix.ncols();
    let width = if dim <= 2 * PANEL { dim.max(1) } else { PANEL };
    for first in (0..dim).step_by(width) {
        if stop_condition::is_over() {
            return Err(Failure::Stopped);
        }
        let width = width.min(dim - first);
        let (before, rest) = matrix.rb_mut().split_at_col_mut(first);
        let before = before.as_ref().subrows(first, dim - first);
        let mut panel = rest.subcols_mut(0, width).subrows_mut(first, dim - first);
        if first > 0 {
            let top = before.subrows(0, width).transpose();
            product(panel.rb_mut(), Accum::Add, before, top, -1.0, threading);
        }
        let (mut square, below) = panel.split_at_row_mut(width);
        factor_in_place(square.rb_mut(), stack).map_err(|pivot| Failure::Pivot(first + pivot))?;
        triangular::solve(square.as_ref(), below.transpose_mut(), threading);
    }
    if stop_condition::is_over() { Err(Failure::Stopped) } else { Ok(()) }
}

/// Factors the lower triangle, zeroes the upper; `Err`: failed pivot.
pub(super) fn factor_in_place(mut matrix: MatMut<'_, f64>, stack: &mut MemStack) -> Result<(), usize> {
    let outcome = cholesky_in_place(matrix.rb_mut(), Default::default(), Par::Seq, stack, Default::default());
    clear_upper_vector_state();
    // faer leaves intermediate numbers above the diagonal, on success and failure.
    clear_above(matrix);
    outcome.map(|_| ()).map_err(|LltError::NonPositivePivot { index }| index)
}

fn clear_above(mut matrix: MatMut<'_, f64>) {
    for j in 1..matrix.ncols() {
        fill_zero(matrix.rb_mut().col_mut(j).subrows_mut(0, j));
    }
}

pub(super) fn pivot_is_sound(root: f64, diagonal: f64, floor: f64) -> bool {
    root > 0.0 && root.is_finite() && root * root >= floor * diagonal
}

fn mean_absolute_diagonal(a: MatRef<'_, f64>) -> f64 {
    let n = a.nrows();
    if n == 0 { 0.0 } else { (0..n).map(|i| a[(i, i)].abs() / n as f64).sum() }
}

fn fill_zero(mut column: ColMut<'_, f64>) {
    if let Some(column) = column.rb_mut().try_as_col_major_mut() {
        column.as_slice_mut().fill(0.0);
    } else {
        column.fill(0.0);
    }
}

fn copy_lower(mut target: MatMut<'_, f64>, source: MatRef<'_, f64>) {
    if let (Some(mut target), Some(source)) =
        (target.rb_mut().try_as_col_major_mut(), source.try_as_col_major())
    {
        for j in 0..source.ncols() {
            let below = target.rb_mut().col_mut(j).as_slice_mut();
            below[j..].copy_from_slice(&source.col(j).as_slice()[j..]);
        }
    } else {
        copy_lower_in_tiles(target, source);
    }
}

fn copy_lower_in_tiles(mut target: MatMut<'_, f64>, source: MatRef<'_, f64>) {
    const TILE: usize = 32;
    let n = source.nrows();
    for column in (0..n).step_by(TILE) {
        for row in (column..n).step_by(TILE) {
            for j in column..n.min(column + TILE) {
                for i in row.max(j)..n.min(row + TILE) {
                    target[(i, j)] = source[(i, j)];
                }
            }
        }
    }
}

pub(super) fn check_lower_finite(what: &'static str, a: MatRef<'_, f64>) -> Result<(), LinalgError> {
    let n = a.nrows();
    (0..n).try_for_each(|j| check_column_finite(what, a.col(j).subrows(j, n - j), j, j))
}
