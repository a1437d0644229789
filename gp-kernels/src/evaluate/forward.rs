//! Gram, cross-covariance and diagonal.

use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};
use gp_linalg::Threading;
use rayon::prelude::*;

use super::{Evaluator, check_count, check_shape, shape_mut, tile_columns};
use crate::error::KernelError;
use crate::kept::Kept;
use crate::kernel::{BlockMut, Kernel, Pair, Points, TileShape};
use crate::views;
use crate::workspace::Workspace;

impl Evaluator {
    /// Fills `out` (M×N) with the covariances of two tables, `rows` (M×D) and `cols` (N×D).
    ///
    /// The points of the two tables are taken to be different ones, also where their coordinates agree.
    ///
    /// # Errors
    /// For wrong shapes, numbers that are not finite, and points that do not suit the kernel.
    pub fn cross<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        rows: MatRef<'_, f64>,
        cols: MatRef<'_, f64>,
        out: MatMut<'_, f64>,
    ) -> Result<(), KernelError> {
        self.cross_kept(kernel, rows, cols, out, &mut Kept::nothing())
    }

    /// [`cross`](Evaluator::cross), leaving in `kept` what spares
    /// [`cross_reverse_kept`](Evaluator::cross_reverse_kept) work.
    ///
    /// # Errors
    /// As [`cross`](Evaluator::cross).
    pub fn cross_kept<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        rows: MatRef<'_, f64>,
        cols: MatRef<'_, f64>,
        out: MatMut<'_, f64>,
        kept: &mut Kept,
    ) -> Result<(), KernelError> {
        check_count("columns of the pair", "columns", rows.ncols(), cols.ncols())?;
        check_shape("cross-covariance", shape_mut(&out), (rows.nrows(), cols.nrows()))?;
        let (row_table, col_table) = (self.table("rows", kernel, rows)?, self.table("cols", kernel, cols)?);
        self.cross_of(kernel, Pair::distinct(row_table.view(), col_table.view()), out, kept);
        self.done([row_table, col_table]);
        Ok(())
    }

    /// [`cross`](Evaluator::cross) for checked points and shapes.
    pub(crate) fn cross_of<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        pair: Pair<'_>,
        out: MatMut<'_, f64>,
        kept: &mut Kept,
    ) {
        let TileShape { rows, cols, .. } = pair.shape();
        let width = tile_columns(rows);
        let columns = (0..cols).step_by(width).map(|start| width.min(cols - start));
        kept.prepare(columns.map(|cols| kernel.kept_len(TileShape { cols, ..pair.shape() })));
        let kept = &*kept;
        self.for_each_tile(width, out, |tile, start| {
            let cols = pair.cols.subrows(start, tile.ncols());
            self.fill(kernel, Pair::distinct(pair.rows, cols), tile, (start / width, kept));
        });
    }

    /// Fills `out` (N×N) with the covariances of a table (N×D) with itself: exactly symmetric, with the kernel's
    /// white noise on the diagonal.
    ///
    /// # Errors
    /// For wrong shapes, numbers that are not finite, and points that do not suit the kernel.
    pub fn gram<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        points: MatRef<'_, f64>,
        out: MatMut<'_, f64>,
    ) -> Result<(), KernelError> {
        self.gram_kept(kernel, points, out, &mut Kept::nothing())
    }

    /// [`gram`](Evaluator::gram), leaving in `kept` what spares [`gram_reverse_kept`](Evaluator::gram_reverse_kept)
    /// work.
    ///
    /// # Errors
    /// As [`gram`](Evaluator::gram).
    pub fn gram_kept<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        points: MatRef<'_, f64>,
        out: MatMut<'_, f64>,
        kept: &mut Kept,
    ) -> Result<(), KernelError> {
        let count = points.nrows();
        check_shape("Gram matrix", shape_mut(&out), (count, count))?;
        let table = self.table("points", kernel, points)?;
        self.gram_of(kernel, table.view(), out, kept)?;
        self.done([table]);
        Ok(())
    }

    /// Fills `out` (N) with the prior variances of a table (N×D).
    ///
    /// # Errors
    /// For wrong shapes, numbers that are not finite, and points that do not suit the kernel.
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

    /// [`diagonal`](Evaluator::diagonal) for checked points and shapes.
    pub(crate) fn diagonal_of<K: Kernel + ?Sized>(&self, kernel: &K, points: Points<'_>, out: &mut [f64]) {
        self.with_workspace(|ws| kernel.diagonal(points, out, ws));
    }

    /// Calls `body` with each tile of `out`, `width` columns wide, and the column it starts at.
    pub(crate) fn for_each_tile(
        &self,
        width: usize,
        out: MatMut<'_, f64>,
        body: impl Fn(MatMut<'_, f64>, usize) + Sync,
    ) {
        if out.nrows() == 0 || out.ncols() == 0 {
            return;
        }
        match self.threading {
            Threading::Here => {
                let mut rest = out;
                let mut start = 0;
                while rest.ncols() > 0 {
                    let columns = width.min(rest.ncols());
                    let (tile, later) = rest.split_at_col_mut(columns);
                    body(tile, start);
                    (rest, start) = (later, start + width);
                }
            }
            Threading::Pool => {
                out.par_col_chunks_mut(width).enumerate().for_each(|(i, tile)| body(tile, i * width));
            }
        }
    }

    /// Fills one tile, through a buffer where the caller's columns are not contiguous, and keeps what there is room
    /// for under this number.
    pub(super) fn fill<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        pair: Pair<'_>,
        mut out: MatMut<'_, f64>,
        (tile, kept): (usize, &Kept),
    ) {
        let fill = |out: BlockMut<'_>, ws: &mut Workspace| {
            kept.with(tile, kernel.kept_len(pair.shape()), |kept| kernel.tile_kept(pair, out, kept, ws));
        };
        self.with_workspace(|ws| {
            if let Some(tile) = out.rb_mut().try_as_col_major_mut() {
                return fill(tile, ws);
            }
            let (m, n) = (out.nrows(), out.ncols());
            let mut buffer = ws.take_dirty(m * n);
            fill(views::block_mut(&mut buffer, m, n), ws);
            out.copy_from(views::block(&buffer, m, n));
            ws.give(buffer);
        });
    }
}
