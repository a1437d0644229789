//! Gram matrices, cross-covariances and diagonals.

use std::ops::Range;

use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};
use gp_linalg::Threading;

use super::{Evaluator, check_count, check_shape, shape_mut};
use crate::error::KernelError;
use crate::kernel::{Kernel, Pair, Points, TileShape};
use crate::views;

impl Evaluator {
    /// Writes `K(rows, cols)` (M×N) to `out`; equal coordinates are different points.
    ///
    /// # Errors
    /// Wrong shapes, invalid points, [`KernelError::Stopped`].
    pub fn cross<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        rows: MatRef<'_, f64>,
        cols: MatRef<'_, f64>,
        out: MatMut<'_, f64>,
    ) -> Result<(), KernelError> {
        check_count("columns of the pair", "columns", rows.ncols(), cols.ncols())?;
        check_shape("cross-covariance", shape_mut(&out), (rows.nrows(), cols.nrows()))?;
        let (row_table, col_table) = (self.table("rows", kernel, rows)?, self.table("cols", kernel, cols)?);
        self.cross_of(kernel, Pair::distinct(row_table.view(), col_table.view()), out, &mut []);
        self.done([row_table, col_table]);
        Ok(())
    }

    /// Unchecked [`cross`](Evaluator::cross); `record` is empty or [`cross_record_len`](Evaluator::cross_record_len).
    pub(crate) fn cross_of<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        pair: Pair<'_>,
        out: MatMut<'_, f64>,
        record: &mut [f64],
    ) {
        let shape = pair.shape();
        let width = self.tile_columns(shape);
        let tiles = Tiles {
            width,
            record_len: |columns: Range<usize>| {
                record_of_tiles(kernel, TileShape { cols: columns.len(), ..shape }, width)
            },
        };
        self.for_each_tile(&tiles, out, record, |tile, start, record| {
            let cols = pair.cols.subrows(start, tile.ncols());
            self.fill(kernel, Pair::distinct(pair.rows, cols), tile, record);
        });
    }

    pub(crate) fn cross_record_len<K: Kernel + ?Sized>(&self, kernel: &K, shape: TileShape) -> usize {
        record_of_tiles(kernel, shape, self.tile_columns(shape))
    }

    /// Writes `K(points, points)` (N×N) to `out`, exactly symmetric, with white noise.
    ///
    /// # Errors
    /// As [`cross`](Evaluator::cross).
    pub fn gram<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        points: MatRef<'_, f64>,
        out: MatMut<'_, f64>,
    ) -> Result<(), KernelError> {
        let count = points.nrows();
        check_shape("Gram matrix", shape_mut(&out), (count, count))?;
        let table = self.table("points", kernel, points)?;
        self.gram_of(kernel, table.view(), out, &mut [])?;
        self.done([table]);
        Ok(())
    }

    /// Writes prior variances (N) to `out`.
    ///
    /// # Errors
    /// As [`cross`](Evaluator::cross).
    pub fn diagonal<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        points: MatRef<'_, f64>,
        out: &mut [f64],
    ) -> Result<(), KernelError> {
        check_count("diagonal", "entries", points.nrows(), out.len())?;
        let table = self.table("points", kernel, points)?;
        self.diagonal_of(kernel, table.view(), out);
        self.done([table]);
        Ok(())
    }

    pub(crate) fn diagonal_of<K: Kernel + ?Sized>(&self, kernel: &K, points: Points<'_>, out: &mut [f64]) {
        self.with_workspace(|ws| kernel.diagonal(points, out, ws));
    }

    /// Calls `body(tile, first column, record part)` per tile.
    pub(crate) fn for_each_tile<L>(
        &self,
        tiles: &Tiles<L>,
        out: MatMut<'_, f64>,
        record: &mut [f64],
        body: impl Fn(MatMut<'_, f64>, usize, &mut [f64]) + Sync,
    ) where
        L: Fn(Range<usize>) -> usize + Sync,
    {
        if out.nrows() > 0 && out.ncols() > 0 {
            tiles.halve(self.threading, (0, out, record), &body);
        }
    }

    /// Fills a tile, buffered unless column-major.
    pub(super) fn fill<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        pair: Pair<'_>,
        mut out: MatMut<'_, f64>,
        record: &mut [f64],
    ) {
        self.with_workspace(|ws| {
            if let Some(tile) = out.rb_mut().try_as_col_major_mut() {
                return kernel.tile(pair, tile, record, ws);
            }
            let (m, n) = (out.nrows(), out.ncols());
            let mut buffer = ws.take_dirty(m * n);
            kernel.tile(pair, views::block_mut(&mut buffer, m, n), record, ws);
            out.copy_from(views::block(&buffer, m, n));
            ws.give(buffer);
        });
    }
}

pub(super) fn record_of_tiles<K: Kernel + ?Sized>(kernel: &K, shape: TileShape, width: usize) -> usize {
    if shape.rows == 0 {
        return 0;
    }
    let tile = |cols: usize| kernel.record_len(TileShape { cols, ..shape });
    let last = if shape.cols.is_multiple_of(width) { 0 } else { tile(shape.cols % width) };
    (shape.cols / width).saturating_mul(tile(width)).saturating_add(last)
}

pub(crate) struct Tiles<L> {
    pub(crate) width: usize,
    pub(crate) record_len: L,
}

impl<L: Fn(Range<usize>) -> usize + Sync> Tiles<L> {
    fn halve<B>(
        &self,
        threading: Threading,
        (start, out, record): (usize, MatMut<'_, f64>, &mut [f64]),
        body: &B,
    ) where
        B: Fn(MatMut<'_, f64>, usize, &mut [f64]) + Sync,
    {
        if out.ncols() <= self.width {
            return body(out, start, record);
        }
        let columns = out.ncols().div_ceil(self.width) / 2 * self.width;
        let (left, right) = out.split_at_col_mut(columns);
        let len = if record.is_empty() { 0 } else { (self.record_len)(start..start + columns) };
        let (of_left, of_right) = record.split_at_mut(len);
        let left = || self.halve(threading, (start, left, of_left), body);
        let right = || self.halve(threading, (start + columns, right, of_right), body);
        match threading {
            Threading::Here => {
                left();
                right();
            }
            Threading::Pool => {
                rayon::join(left, right);
            }
        }
    }
}
