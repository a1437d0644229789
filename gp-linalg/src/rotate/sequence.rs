//! All rotations of one update or downdate, and their application to a matrix of any width and layout.

use super::kernel::{MAX_RANK, MAX_WIDTH, Order, PANEL, Panel, width};
use crate::threading::{Threading, for_column_block_pairs};
use faer::reborrow::ReborrowMut as _;
use faer::{MatMut, MatRef};
use std::ops::Range;

/// Columns of one task: 64 columns of 500 numbers (256 KiB) stay in the second-level cache while all groups pass.
const TASK_COLUMNS: usize = 64;

/// d·k rotations in groups of at most [`MAX_RANK`] directions; a group passes over all rows before the next begins.
#[derive(Clone, Default)]
pub(super) struct Sequence {
    dim: usize,
    rank: usize,
    /// Group by group; within a group row by row; for each row the cosines, then the sines.
    values: Vec<f64>,
}

impl Sequence {
    /// Room for `rank` directions in dimension `dim`.
    pub(super) fn reset(&mut self, dim: usize, rank: usize) {
        (self.dim, self.rank) = (dim, rank);
        if self.values.len() < 2 * dim * rank {
            self.values.resize(2 * dim * rank, 0.0);
        }
    }

    /// The directions of each group, groups of nearly equal size.
    pub(super) fn groups(rank: usize) -> impl Iterator<Item = Range<usize>> {
        let count = rank.div_ceil(MAX_RANK);
        (0..count).map(move |group| group * rank / count..(group + 1) * rank / count)
    }

    /// The rotations of `rows` in one group: cosines and sines of each row in turn.
    pub(super) fn group(&self, group: &Range<usize>, rows: Range<usize>) -> &[f64] {
        let start = 2 * self.dim * group.start;
        &self.values[start + 2 * group.len() * rows.start..start + 2 * group.len() * rows.end]
    }

    /// The cosines and the sines of one row of one group.
    pub(super) fn row_mut(&mut self, group: &Range<usize>, row: usize) -> (&mut [f64], &mut [f64]) {
        let start = 2 * self.dim * group.start + 2 * group.len() * row;
        self.values[start..start + 2 * group.len()].split_at_mut(group.len())
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
                apply_group(self.group(&group, 0..rows), x.rb_mut(), carried, order);
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

/// One group's rotations on `[x; carried]`; `carried` has at most [`MAX_RANK`] rows.
pub(super) fn apply_group(
    rotations: &[f64],
    mut x: MatMut<'_, f64>,
    mut carried: MatMut<'_, f64>,
    order: Order,
) {
    let rank = carried.nrows();
    debug_assert_eq!(rotations.len(), 2 * rank * x.nrows());
    let width = width(rank);
    for first in (0..x.ncols()).step_by(width) {
        let columns = width.min(x.ncols() - first);
        let x = x.rb_mut().subcols_mut(first, columns);
        rotate_panel(rotations, x, carried.rb_mut().subcols_mut(first, columns), order, width);
    }
}

/// At most `width` columns: their rows are packed side by side, rotated and put back, a cacheful at a time.
fn rotate_panel(
    rotations: &[f64],
    mut x: MatMut<'_, f64>,
    mut carried: MatMut<'_, f64>,
    order: Order,
    width: usize,
) {
    let rank = carried.nrows();
    let mut rows_memory = [0.0; PANEL];
    let mut carried_memory = [0.0; MAX_RANK * MAX_WIDTH];
    let packed_carried = &mut carried_memory[..rank * width];
    pack(packed_carried, carried.as_ref(), width);
    let height = PANEL / width;
    let segments = x.nrows().div_ceil(height);
    for step in 0..segments {
        let segment = if order == Order::Down { step } else { segments - 1 - step };
        let start = segment * height;
        let count = height.min(x.nrows() - start);
        let rows = &mut rows_memory[..count * width];
        let mut part = x.rb_mut().subrows_mut(start, count);
        pack(rows, part.as_ref(), width);
        let rotations = &rotations[2 * rank * start..2 * rank * (start + count)];
        Panel { rows, carried: packed_carried, rotations, order }.rotate(rank);
        unpack(part.rb_mut(), rows, width);
    }
    unpack(carried.rb_mut(), packed_carried, width);
}

/// Rows of `source` one after the other, each in `width` places; places beyond its columns keep what they had.
fn pack(packed: &mut [f64], source: MatRef<'_, f64>, width: usize) {
    if let Some(source) = source.try_as_row_major() {
        for (i, place) in packed.chunks_exact_mut(width).enumerate() {
            place[..source.ncols()].copy_from_slice(source.row(i).as_slice());
        }
        return;
    }
    for j in 0..source.ncols() {
        let places = packed.iter_mut().skip(j).step_by(width);
        for (place, value) in places.zip(source.col(j).iter()) {
            *place = *value;
        }
    }
}

/// The inverse of [`pack`].
fn unpack(mut target: MatMut<'_, f64>, packed: &[f64], width: usize) {
    let ncols = target.ncols();
    if let Some(mut target) = target.rb_mut().try_as_row_major_mut() {
        for (i, place) in packed.chunks_exact(width).enumerate() {
            target.rb_mut().row_mut(i).as_slice_mut().copy_from_slice(&place[..ncols]);
        }
        return;
    }
    for j in 0..ncols {
        let places = packed.iter().skip(j).step_by(width);
        for (value, place) in target.rb_mut().col_mut(j).iter_mut().zip(places) {
            *value = *place;
        }
    }
}
