//! Factor `Φᵀ`, N×j, one column per chosen point.
//!
//! Residual variances never grow. Each choice therefore updates only the *near* points (largest variances), until the
//! best of them falls to the last maximum of the rest; then all are updated. Choices are unaffected.

use gp_linalg::Threading;
use rayon::prelude::*;

use super::block::{Pivot, PointBlock};
use super::chosen::Chosen;
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::kernel::{Kernel, Points};
use crate::placement::table::distinct;

const BLOCK: usize = 1024;
/// Near points: fit the cache, seldom need the rest.
const NEAR: usize = 1024;
/// Maximum choices between full updates.
const LAG: usize = 64;

pub(super) struct GreedyFactor<'a> {
    kernel: &'a dyn Kernel,
    dim: usize,
    prior: Vec<f64>,
    /// Blocks as of their last update.
    all: Vec<PointBlock>,
    /// Near points, always updated.
    near: PointBlock,
    /// Largest candidate variance of the rest.
    bound: f64,
    chosen: Chosen,
    evaluator: Evaluator,
}

impl<'a> GreedyFactor<'a> {
    /// Factor before any choice; of equal points, only the first is a candidate.
    pub(super) fn new(kernel: &'a dyn Kernel, points: Points<'_>) -> Result<Self, KernelError> {
        let (count, dim) = (points.nrows(), points.ncols());
        let evaluator = Evaluator::new(Threading::Here);
        let mut prior = vec![0.0; count];
        evaluator.diagonal(kernel, points.as_dyn_stride(), &mut prior)?;
        check_finite("prior variances", &prior)?;
        let mut open = vec![false; count];
        distinct(points, (0..count).collect()).iter().for_each(|distinct| open[distinct.row] = true);
        let starts = (0..count).step_by(BLOCK);
        let all = starts
            .map(|first| PointBlock::new(points, first..count.min(first + BLOCK), &prior, &open))
            .collect();
        let (near, chosen) = (PointBlock::empty(dim), Chosen::none(dim));
        let mut factor = Self { kernel, dim, prior, all, near, bound: 0.0, chosen, evaluator };
        factor.gather_near();
        Ok(factor)
    }

    pub(super) fn largest_prior(&self) -> f64 {
        self.prior.iter().copied().fold(0.0, f64::max)
    }

    /// Largest residual variance, first of equals; None if all are chosen.
    pub(super) fn largest_residual(&mut self) -> Result<Option<Pivot>, KernelError> {
        if self.chosen.count() > 0 {
            let best = self.near.pivots().reduce(Pivot::larger);
            // At a tie, another point may have an earlier row.
            if self.chosen.count() < LAG && best.is_some_and(|best| best.variance > self.bound) {
                return Ok(best);
            }
            self.catch_up()?;
            self.gather_near();
        }
        Ok(self.near.pivots().reduce(Pivot::larger))
    }

    /// Conditions on the result of [`largest_residual`](GreedyFactor::largest_residual).
    pub(super) fn condition_on(&mut self, pivot: Pivot) -> Result<(), KernelError> {
        self.all[pivot.row / BLOCK].close(pivot.row);
        let from = self.chosen.count();
        self.near.choose(pivot, &mut self.chosen);
        self.near.condition_on(self.kernel, &self.evaluator, &self.chosen, from)
    }

    fn catch_up(&mut self) -> Result<(), KernelError> {
        let (kernel, evaluator, chosen) = (self.kernel, &self.evaluator, &self.chosen);
        self.all.par_iter_mut().try_for_each(|block| block.condition_on(kernel, evaluator, chosen, 0))?;
        self.chosen.clear();
        Ok(())
    }

    /// Copies points of largest variance, first of equals.
    fn gather_near(&mut self) {
        let mut pivots: Vec<Pivot> = self.all.iter().flat_map(PointBlock::pivots).collect();
        self.bound = f64::NEG_INFINITY;
        if pivots.len() > NEAR {
            let order = |a: &Pivot, b: &Pivot| b.variance.total_cmp(&a.variance).then(a.row.cmp(&b.row));
            self.bound = pivots.select_nth_unstable_by(NEAR, order).1.variance;
            pivots.truncate(NEAR);
        }
        let mut rows: Vec<usize> = pivots.iter().map(|pivot| pivot.row).collect();
        rows.sort_unstable();
        self.near = PointBlock::gather(&self.all, BLOCK, &rows, self.dim);
    }

    /// `Σ s_i / Σ k_ii`; 0 without prior variance.
    pub(super) fn residual_share(mut self) -> Result<f64, KernelError> {
        self.catch_up()?;
        let residual: Vec<f64> = self.all.iter().flat_map(PointBlock::residual).copied().collect();
        check_finite("residual variances", &residual)?;
        // Rounding may leave slightly negative residuals.
        let left: f64 = residual.iter().map(|s| s.max(0.0)).sum();
        let total: f64 = self.prior.iter().sum();
        Ok(if total > 0.0 { left / total } else { 0.0 })
    }
}

/// Refuses infinite values: finite inputs may overflow, as in polynomials.
fn check_finite(what: &'static str, values: &[f64]) -> Result<(), KernelError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(row) => Err(KernelError::NotFinite { what, row, column: 0, value: values[row] }),
        None => Ok(()),
    }
}
