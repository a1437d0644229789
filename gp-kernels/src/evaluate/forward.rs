//! Gram, cross-covariance and diagonal.

use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};
use gp_linalg::Threading;
use gp_linalg::product::symmetrise_lower;
use rayon::prelude::*;

use super::{Evaluator, check_count, check_shape, shape_mut, tile_columns};
use crate::error::KernelError;
use crate::kernel::{Kernel, Pair};
use crate::views;

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
        check_count("columns of the pair", "columns", rows.ncols(), cols.ncols())?;
        check_shape("cross-covariance", shape_mut(&out), (rows.nrows(), cols.nrows()))?;
        let (row_table, col_table) = (self.table("rows", kernel, rows)?, self.table("cols", kernel, cols)?);
        let (row_points, col_points) = (row_table.view(), col_table.view());
        let width = tile_columns(rows.nrows());
        self.for_each_tile(width, out, |tile, start| {
            let cols = col_points.subrows(start, tile.ncols());
            self.fill(kernel, Pair::distinct(row_points, cols), tile);
        });
        self.done([row_table, col_table]);
        Ok(())
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
        mut out: MatMut<'_, f64>,
    ) -> Result<(), KernelError> {
        let count = points.nrows();
        check_shape("Gram matrix", shape_mut(&out), (count, count))?;
        let table = self.table("points", kernel, points)?;
        let all = table.view();
        self.for_each_tile(tile_columns(count), out.rb_mut(), |tile, start| {
            let width = tile.ncols();
            let pair =
                Pair { rows: all.subrows(start, count - start), cols: all.subrows(start, width), same: true };
            self.fill(kernel, pair, tile.subrows_mut(start, count - start));
        });
        self.done([table]);
        Ok(symmetrise_lower(out)?)
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
        self.with_workspace(|ws| kernel.diagonal(table.view(), out, ws));
        self.done([table]);
        Ok(())
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

    /// Fills one tile, through a buffer where the caller's columns are not contiguous.
    fn fill<K: Kernel + ?Sized>(&self, kernel: &K, pair: Pair<'_>, mut out: MatMut<'_, f64>) {
        self.with_workspace(|ws| {
            if let Some(tile) = out.rb_mut().try_as_col_major_mut() {
                return kernel.tile(pair, tile, ws);
            }
            let (m, n) = (out.nrows(), out.ncols());
            let mut buffer = ws.take_dirty(m * n);
            kernel.tile(pair, views::block_mut(&mut buffer, m, n), ws);
            out.copy_from(views::block(&buffer, m, n));
            ws.give(buffer);
        });
    }
}
