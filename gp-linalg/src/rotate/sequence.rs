//! Rotations of one update or downdate.

use super::kernel::{MAX_RANK, Order, Rotation, rotate};
use crate::threading::{Threading, for_column_block_pairs};
use faer::MatMut;
use faer::reborrow::ReborrowMut as _;
use std::ops::Range;

/// Columns per task: 64 × 500 numbers fit second-level caches.
const TASK_COLUMNS: usize = 64;

/// `d·k` rotations in groups of ≤ [`MAX_RANK`] directions.
#[derive(Clone, Default)]
pub(super) struct Sequence {
    dim: usize,
    rank: usize,
    values: Vec<Rotation>,
}

impl Sequence {
    pub(super) fn reset(&mut self, dim: usize, rank: usize) {
        (self.dim, self.rank) = (dim, rank);
        if self.values.len() < dim * rank {
            self.values.resize(dim * rank, Rotation::default());
        }
    }

    /// Groups of nearly equal size.
    pub(super) fn groups(rank: usize) -> impl Iterator<Item = Range<usize>> {
        let count = rank.div_ceil(MAX_RANK);
        (0..count).map(move |group| group * rank / count..(group + 1) * rank / count)
    }

    pub(super) fn all_groups(&self) -> impl Iterator<Item = (usize, &[Rotation])> {
        Self::groups(self.rank).map(|group| (group.len(), self.group(&group, 0..self.dim)))
    }

    pub(super) fn group(&self, group: &Range<usize>, rows: Range<usize>) -> &[Rotation] {
        let start = self.dim * group.start;
        &self.values[start + group.len() * rows.start..start + group.len() * rows.end]
    }

    pub(super) fn row_mut(&mut self, group: &Range<usize>, row: usize) -> &mut [Rotation] {
        let start = self.dim * group.start + group.len() * row;
        &mut self.values[start..start + group.len()]
    }

    /// Rotates `[x; carried]` (d×m, k×m), except rows known to be zero.
    pub(super) fn apply(
        &self,
        x: MatMut<'_, f64>,
        carried: MatMut<'_, f64>,
        order: Order,
        shape: Shape,
        threading: Threading,
    ) {
        let work = 6.0 * self.dim as f64 * self.rank as f64 * x.ncols() as f64;
        let threading = threading.for_flops(work);
        for_column_block_pairs(x, carried, TASK_COLUMNS, threading, &|first, x, mut carried| {
            let rows = match shape {
                Shape::Full => self.dim,
                Shape::Upper => self.dim.min(first + x.ncols()),
            };
            let mut x = x.subrows_mut(0, rows);
            for group in Self::groups(self.rank) {
                let carried = carried.rb_mut().subrows_mut(group.start, group.len());
                rotate(self.group(&group, 0..rows), x.rb_mut(), carried, order);
            }
        });
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Full,
    /// Upper triangle, with carried rows initially zero.
    Upper,
}
