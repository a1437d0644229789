//! Greedy conditional variance: a pivoted Cholesky factorisation of the kernel matrix that never forms it.
//!
//! With `φ_i` the whitened covariances of point i with the points chosen so far, what they leave of its prior variance
//! is `s_i = k_ii − φ_iᵀφ_i`. The next inducing input goes to the point p with the largest `s_p`, which appends
//! `φ_i ← (φ_i, (k_ip − φ_iᵀφ_p) / √s_p)` to every point. (L. V. Foster et al. 2009; D. R. Burt et al. 2020 bound what
//! is lost by stopping after M.)

use faer::{Accum, MatMut, MatRef};
use gp_linalg::Threading;
use rayon::prelude::*;

use super::table::{Table, distinct};
use super::{Placed, Placement};
use crate::error::KernelError;
use crate::evaluate::Evaluator;
use crate::kernel::{Kernel, Points};
use crate::views;

/// `greedy`: one row after the other, each where the rows before leave the most prior variance.
///
/// Ties go to the first row. There is nothing random about it: every seed gives the same rows.
///
/// It stops early, with fewer inducing inputs than were asked for, when no point has more residual variance than a
/// small share ([`with_threshold`](Greedy::with_threshold)) of the largest prior variance. More would add nothing but
/// rounding errors and a nearly singular `K_zz`. At least one is placed, also where all prior variances are zero.
///
/// White noise in the kernel is treated as everywhere in this crate: it is in `K_zz` and in the prior variances, and
/// no inducing input shares it with a data point. It thus remains in the residual, and keeps the threshold from being
/// reached.
///
/// Takes O(N M² + N M D) time, most of it in matrix–vector products over N M numbers of memory; no N×N matrix is
/// formed.
#[derive(Clone, Copy, Debug)]
pub struct Greedy {
    threshold: f64,
}

/// The least threshold: smaller residuals are the rounding errors of their own computation.
const LEAST_THRESHOLD: f64 = 1e-14;

/// Points that are worked on together, and a unit of work for a thread.
const BLOCK: usize = 1024;

impl Greedy {
    /// Stops at a share of 1e-10: a standard deviation of 1e-5 of the prior's, which no inference can tell from zero,
    /// and which leaves `K_zz` a factorisation without jitter.
    pub fn new() -> Self {
        Self { threshold: 1e-10 }
    }

    /// Stops when no residual variance exceeds this share of the largest prior variance.
    ///
    /// Shares below 1e-14, and NaN, mean 1e-14.
    #[must_use]
    pub fn with_threshold(self, threshold: f64) -> Self {
        Self { threshold: if threshold >= LEAST_THRESHOLD { threshold } else { LEAST_THRESHOLD } }
    }
}

impl Default for Greedy {
    fn default() -> Self {
        Self::new()
    }
}

impl Placement for Greedy {
    fn name(&self) -> &str {
        "greedy"
    }

    fn summary(&self) -> &str {
        "the data points that leave the least prior variance unexplained, one after the other"
    }

    fn place(
        &self,
        kernel: &dyn Kernel,
        x: MatRef<'_, f64>,
        m: usize,
        _seed: u64,
    ) -> Result<Placed, KernelError> {
        let table = Table::checked(kernel, x, m)?;
        let mut factor = Factor::new(kernel, table.view())?;
        let largest = factor.prior.iter().copied().fold(0.0, f64::max);
        let mut rows = Vec::new();
        while rows.len() < m {
            let Some(pivot) = factor.largest_residual() else { break };
            let worth_it = pivot.variance > self.threshold * largest;
            if worth_it || rows.is_empty() {
                rows.push(pivot.row);
            }
            if !worth_it {
                break;
            }
            factor.condition_on(kernel, pivot)?;
        }
        Ok(Placed { residual: Some(factor.residual_share()?), ..Placed::at_rows(x, rows)? })
    }
}

/// The rows that have been factorised so far: `Φᵀ`, N×j, and what is left of each point's variance.
struct Factor<'a> {
    points: Points<'a>,
    prior: Vec<f64>,
    blocks: Vec<Block<'a>>,
    evaluator: Evaluator,
}

/// A row that could be chosen, and its residual variance.
#[derive(Clone, Copy)]
struct Pivot {
    row: usize,
    variance: f64,
}

/// What a block needs to know of the point that is chosen.
struct Chosen<'a> {
    point: Points<'a>,
    /// `φ_p`.
    phi: Vec<f64>,
    /// `√s_p`.
    deviation: f64,
}

/// Up to [`BLOCK`] consecutive points.
struct Block<'a> {
    first: usize,
    points: Points<'a>,
    /// The block's rows of `Φᵀ`, column by column.
    phi: Vec<f64>,
    residual: Vec<f64>,
    /// Whether a point may be chosen: not yet, and no other one at its place.
    open: Vec<bool>,
}

impl<'a> Factor<'a> {
    fn new(kernel: &dyn Kernel, points: Points<'a>) -> Result<Self, KernelError> {
        let count = points.nrows();
        let evaluator = Evaluator::new(Threading::Here);
        let mut prior = vec![0.0; count];
        evaluator.diagonal(kernel, points.as_dyn_stride(), &mut prior)?;
        check_finite("prior variances", &prior)?;
        let mut open = vec![false; count];
        distinct(points, (0..count).collect()).iter().for_each(|distinct| open[distinct.row] = true);
        let block = |first: usize| {
            let rows = first..count.min(first + BLOCK);
            Block {
                first,
                points: points.subrows(first, rows.len()),
                phi: Vec::new(),
                residual: prior[rows.clone()].to_vec(),
                open: open[rows].to_vec(),
            }
        };
        let blocks = (0..count).step_by(BLOCK).map(block).collect();
        Ok(Self { points, prior, blocks, evaluator })
    }

    /// The point with the largest residual variance, the first of equals.
    fn largest_residual(&self) -> Option<Pivot> {
        let of_blocks = self.blocks.iter().filter_map(Block::largest_residual);
        of_blocks.reduce(|best, next| if next.variance > best.variance { next } else { best })
    }

    /// Makes the point an inducing input.
    fn condition_on(&mut self, kernel: &dyn Kernel, pivot: Pivot) -> Result<(), KernelError> {
        let home = &mut self.blocks[pivot.row / BLOCK];
        let phi = home.close(pivot.row);
        let chosen =
            Chosen { point: self.points.subrows(pivot.row, 1), phi, deviation: pivot.variance.sqrt() };
        let evaluator = &self.evaluator;
        self.blocks.par_iter_mut().try_for_each(|block| block.condition_on(kernel, evaluator, &chosen))
    }

    /// `Σ s_i / Σ k_ii`; nothing is unexplained where there is nothing to explain.
    fn residual_share(&self) -> Result<f64, KernelError> {
        let residual: Vec<f64> = self.blocks.iter().flat_map(|block| &block.residual).copied().collect();
        check_finite("residual variances", &residual)?;
        // Rounding may leave a hair less than nothing.
        let left: f64 = residual.iter().map(|s| s.max(0.0)).sum();
        let total: f64 = self.prior.iter().sum();
        Ok(if total > 0.0 { left / total } else { 0.0 })
    }
}

impl Block<'_> {
    fn largest_residual(&self) -> Option<Pivot> {
        let pivots = self.residual.iter().zip(&self.open).enumerate();
        let open = pivots.filter(|(_, (_, open))| **open);
        let pivots = open.map(|(i, (&variance, _))| Pivot { row: self.first + i, variance });
        pivots.reduce(|best, next| if next.variance > best.variance { next } else { best })
    }

    /// Marks a point of this block as chosen and returns its `φ`.
    fn close(&mut self, row: usize) -> Vec<f64> {
        let i = row - self.first;
        self.open[i] = false;
        self.phi.iter().skip(i).step_by(self.residual.len()).copied().collect()
    }

    /// Appends `(k_ip − φ_iᵀφ_p) / √s_p` to every `φ_i` and takes its square off `s_i`.
    fn condition_on(
        &mut self,
        kernel: &dyn Kernel,
        evaluator: &Evaluator,
        chosen: &Chosen<'_>,
    ) -> Result<(), KernelError> {
        let (height, known) = (self.residual.len(), chosen.phi.len());
        self.phi.resize(height * (known + 1), 0.0);
        let (phi, column) = self.phi.split_at_mut(height * known);
        let mut target = MatMut::from_column_major_slice_mut(&mut *column, height, 1);
        evaluator.cross(
            kernel,
            self.points.as_dyn_stride(),
            chosen.point.as_dyn_stride(),
            target.as_mut(),
        )?;
        let phi = MatRef::from_column_major_slice(phi, height, known);
        let phi_chosen = MatRef::from_column_major_slice(&chosen.phi, known, 1);
        views::multiply(target, Accum::Add, phi, phi_chosen, -1.0);
        let inverse = 1.0 / chosen.deviation;
        for (entry, residual) in column.iter_mut().zip(&mut self.residual) {
            *entry *= inverse;
            *residual -= *entry * *entry;
        }
        Ok(())
    }
}

/// Finite inputs can have variances beyond the largest number, for instance under a polynomial kernel.
fn check_finite(what: &'static str, values: &[f64]) -> Result<(), KernelError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(row) => Err(KernelError::NotFinite { what, row, column: 0, value: values[row] }),
        None => Ok(()),
    }
}
