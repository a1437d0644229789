//! Parameter and point gradients from upstream matrices.

use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};
use gp_linalg::Threading;
use rayon::prelude::*;

use super::forward::record_of_tiles;
use super::shard::{Shard, Shards, Wants, add_points};
use super::{Evaluator, check_count, check_shape, shape, shape_mut};
use crate::error::KernelError;
use crate::kernel::{Block, Gradients, Kernel, Pair, Points, TileShape};
use crate::tree::parameter_count;
use crate::views;
use crate::workspace::Workspace;

/// Accumulators of [`Evaluator::cross_reverse`].
#[derive(Debug)]
pub struct CovarianceGradients<'a> {
    /// Parameter gradient, natural units.
    pub params: &'a mut [f64],
    /// Row-point gradient, M×D.
    pub rows: Option<MatMut<'a, f64>>,
    /// Column-point gradient, N×D.
    pub cols: Option<MatMut<'a, f64>>,
}

impl Evaluator {
    /// Adds gradients of `Σ upstream ∘ cross(rows, cols)`.
    ///
    /// # Errors
    /// As [`cross`](Evaluator::cross), wrong gradient shapes.
    pub fn cross_reverse<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        rows: MatRef<'_, f64>,
        cols: MatRef<'_, f64>,
        upstream: MatRef<'_, f64>,
        grads: CovarianceGradients<'_>,
    ) -> Result<(), KernelError> {
        check_count("columns of the pair", "columns", rows.ncols(), cols.ncols())?;
        check_shape("upstream", shape(upstream), (rows.nrows(), cols.nrows()))?;
        check_gradients(kernel, &grads, shape(rows), shape(cols))?;
        let (row_table, col_table) = (self.table("rows", kernel, rows)?, self.table("cols", kernel, cols)?);
        let pair = Pair::distinct(row_table.view(), col_table.view());
        self.cross_reverse_of(kernel, pair, upstream, grads, &[]);
        self.done([row_table, col_table]);
        Ok(())
    }

    /// Unchecked [`cross_reverse`](Evaluator::cross_reverse); `record` is empty or from
    /// [`cross_of`](Evaluator::cross_of).
    pub(crate) fn cross_reverse_of<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        all: Pair<'_>,
        upstream: MatRef<'_, f64>,
        mut grads: CovarianceGradients<'_>,
        record: &[f64],
    ) {
        let shards = Shards {
            params: grads.params.len(),
            rows: all.rows.nrows(),
            cols: all.cols.nrows(),
            dim: all.dim(),
            width: self.tile_columns(all.shape()),
            wants: Wants { rows: grads.rows.is_some(), cols: grads.cols.is_some() },
        };
        let shape = all.shape();
        let record_of = |start: usize, columns: usize| match record {
            [] => record,
            _ => {
                let at = record_of_tiles(kernel, TileShape { cols: start, ..shape }, shards.width);
                &record[at..][..kernel.record_len(TileShape { cols: columns, ..shape })]
            }
        };
        let reverse = |(start, columns): (usize, usize), to: Gradients<'_>, ws: &mut Workspace| {
            let pair = Pair::distinct(all.rows, all.cols.subrows(start, columns));
            with_block(upstream.subcols(start, columns), ws, |block, ws| {
                kernel.tile_reverse(pair, block, to, record_of(start, columns), ws);
            });
        };
        if shards.count() == 1
            && let Some(to) = in_place(grads.params, grads.rows.as_mut(), grads.cols.as_mut())
        {
            return self.with_workspace(|ws| reverse((0, shards.cols), to, ws));
        }
        let run = |index: usize, ws: &mut Workspace| {
            let mut shard = Shard::new(index, shards, ws);
            shards.tiles(index).for_each(|tile| reverse(tile, shard.gradients(tile), ws));
            shard
        };
        self.for_each_part(shards.count(), run, |_, shard, ws| {
            shard.add_params(grads.params);
            shard.add_rows(grads.rows.as_mut());
            shard.add_cols(grads.cols.as_mut());
            shard.give_back(ws);
        });
    }

    /// Adds gradients of `Σ upstream ∘ gram(points)`; `upstream` (N×N) may be asymmetric.
    ///
    /// # Errors
    /// As [`gram`](Evaluator::gram), wrong gradient shapes.
    pub fn gram_reverse<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        points: MatRef<'_, f64>,
        upstream: MatRef<'_, f64>,
        params: &mut [f64],
        point_grads: Option<MatMut<'_, f64>>,
    ) -> Result<(), KernelError> {
        let count = points.nrows();
        check_shape("upstream", shape(upstream), (count, count))?;
        check_point_gradients(kernel, params, point_grads.as_ref(), shape(points))?;
        let table = self.table("points", kernel, points)?;
        self.gram_reverse_of(kernel, table.view(), upstream, params, point_grads, &[]);
        self.done([table]);
        Ok(())
    }

    /// Adds gradients of `Σ upstream · diagonal(points)`.
    ///
    /// # Errors
    /// As [`diagonal`](Evaluator::diagonal), wrong gradient shapes.
    pub fn diagonal_reverse<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        points: MatRef<'_, f64>,
        upstream: &[f64],
        params: &mut [f64],
        point_grads: Option<MatMut<'_, f64>>,
    ) -> Result<(), KernelError> {
        check_count("upstream", "entries", points.nrows(), upstream.len())?;
        check_point_gradients(kernel, params, point_grads.as_ref(), shape(points))?;
        let table = self.table("points", kernel, points)?;
        self.diagonal_reverse_of(kernel, table.view(), upstream, params, point_grads);
        self.done([table]);
        Ok(())
    }

    pub(crate) fn diagonal_reverse_of<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        points: Points<'_>,
        upstream: &[f64],
        params: &mut [f64],
        point_grads: Option<MatMut<'_, f64>>,
    ) {
        self.with_workspace(|ws| {
            let Some(mut out) = point_grads else {
                let to = Gradients { params, rows: None, cols: None };
                return kernel.diagonal_reverse(points, upstream, to, ws);
            };
            let mut rows = ws.take(points.nrows() * points.ncols());
            let view = views::points_mut(&mut rows, points.nrows(), points.ncols());
            let to = Gradients { params, rows: Some(view), cols: None };
            kernel.diagonal_reverse(points, upstream, to, ws);
            add_points(&rows, 0, &mut out);
            ws.give(rows);
        });
    }

    /// Runs parts; calls `finish` with results in order.
    pub(super) fn for_each_part<T: Send>(
        &self,
        count: usize,
        run: impl Fn(usize, &mut Workspace) -> T + Sync,
        mut finish: impl FnMut(usize, T, &mut Workspace),
    ) {
        let run = |index: usize| self.with_workspace(|ws| run(index, ws));
        let mut done = |(index, part): (usize, T)| self.with_workspace(|ws| finish(index, part, ws));
        match self.threading {
            Threading::Here => (0..count).map(run).enumerate().for_each(done),
            Threading::Pool => {
                let results: Vec<T> = (0..count).into_par_iter().map(run).collect();
                results.into_iter().enumerate().for_each(&mut done);
            }
        }
    }
}

/// Accumulators in place, if contiguous.
pub(super) fn in_place<'g>(
    params: &'g mut [f64],
    rows: Option<&'g mut MatMut<'_, f64>>,
    cols: Option<&'g mut MatMut<'_, f64>>,
) -> Option<Gradients<'g>> {
    let contiguous = |points: Option<&MatMut<'_, f64>>| points.is_none_or(|points| points.col_stride() == 1);
    if !contiguous(rows.as_deref()) || !contiguous(cols.as_deref()) {
        return None;
    }
    let rows = rows.and_then(|rows| rows.rb_mut().try_as_row_major_mut());
    Some(Gradients { params, rows, cols: cols.and_then(|cols| cols.rb_mut().try_as_row_major_mut()) })
}

fn with_block(matrix: MatRef<'_, f64>, ws: &mut Workspace, body: impl FnOnce(Block<'_>, &mut Workspace)) {
    if let Some(block) = matrix.try_as_col_major() {
        return body(block, ws);
    }
    let (m, n) = shape(matrix);
    let mut buffer = ws.take_dirty(m * n);
    views::block_mut(&mut buffer, m, n).copy_from(matrix);
    body(views::block(&buffer, m, n), ws);
    ws.give(buffer);
}

fn check_gradients<K: Kernel + ?Sized>(
    kernel: &K,
    grads: &CovarianceGradients<'_>,
    rows: (usize, usize),
    cols: (usize, usize),
) -> Result<(), KernelError> {
    check_point_gradients(kernel, grads.params, grads.rows.as_ref(), rows)?;
    match &grads.cols {
        Some(out) => check_shape("gradient of the column points", shape_mut(out), cols),
        None => Ok(()),
    }
}

fn check_point_gradients<K: Kernel + ?Sized>(
    kernel: &K,
    params: &[f64],
    points: Option<&MatMut<'_, f64>>,
    expected: (usize, usize),
) -> Result<(), KernelError> {
    check_count("parameter gradient", "entries", parameter_count(kernel), params.len())?;
    points.map_or(Ok(()), |out| check_shape("gradient of the points", shape_mut(out), expected))
}
