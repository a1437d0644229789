//! All rotations of one update or downdate, and their application to a matrix of any width and layout.

use super::kernel::{MAX_RANK, Order, Rotation, rotate};
use crate::threading::{Threading, for_column_block_pairs};
use faer::MatMut;
use faer::reborrow::ReborrowMut as _;
use std::ops::Range;

/// Columns of one task: 64 columns of 500 numbers (256 KiB) stay in the second-level cache while all groups pass.
const TASK_COLUMNS: usize = 64;

/// d·k rotations in groups of at most [`MAX_RANK`] directions; a group passes over all rows before the next begins.
#[derive(Clone, Default)]
pub(super) struct Sequence {
    dim: usize,
    rank: usize,
    /// Group by group; within a group row by row.
    values: Vec<Rotation>,
}

impl Sequence {
    /// Room for `rank` directions in dimension `dim`.
    pub(super) fn reset(&mut self, dim: usize, rank: usize) {
        (self.dim, self.rank) = (dim, rank);
        if self.values.len() < dim * rank {
            self.values.resize(dim * rank, Rotation::default());
        }
    }

    /// The directions of each group, groups of nearly equal size.
    pub(super) fn groups(rank: usize) -> impl Iterator<Item = Range<usize>> {
        let count = rank.div_ceil(MAX_RANK);
        (0..count).map(move |group| group * rank / count..(group + 1) * rank / count)
    }

    /// Every group: how many directions it has, and its rotations.
    pub(super) fn all_groups(&self) -> impl Iterator<Item = (usize, &[Rotation])> {
        Self::groups(self.rank).map(|group| (group.len(), self.group(&group, 0..self.dim)))
    }

    /// The rotations of `rows` in one group, one row's after the other.
    pub(super) fn group(&self, group: &Range<usize>, rows: Range<usize>) -> &[Rotation] {
        let start = self.dim * group.start;
        &self.values[start + group.len() * rows.start..start + group.len() * rows.end]
    }

    /// The rotations of one row in one group.
    pub(super) fn row_mut(&mut self, group: &Range<usize>, row: usize) -> &mut [Rotation] {
        let start = self.dim * group.start + group.len() * row;
        &mut self.values[start..start + group.len()]
    }

    /// Applies all rotations to `[x; carried]`, d×m and k×m.
    ///
    /// For a shape with known zeros the rows that would stay zero are passed over.
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

/// What is known about a matrix that rotations are applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing.
    Full,
    /// Zero below the diagonal, and so are the carried rows at the start.
    Upper,
}
