//! The reverse pass: from upstream matrices to gradients of parameters and points.

use faer::{MatMut, MatRef};
use gp_linalg::Threading;
use rayon::prelude::*;

use super::{Evaluator, check_count, check_shape, shape, shape_mut, tile_columns};
use crate::error::KernelError;
use crate::kernel::{Block, Gradients, Kernel, Pair};
use crate::tree::parameter_count;
use crate::views;
use crate::workspace::Workspace;

/// Into how many parts a reverse pass is cut, at most. Each has gradients of its own, which are added in order: the
/// number must not depend on the number of threads, and it bounds how many of them can help.
const SHARDS: usize = 16;

/// Where [`Evaluator::cross_reverse`] adds its gradients.
#[derive(Debug)]
pub struct CovarianceGradients<'a> {
    /// One number per parameter, in natural units.
    pub params: &'a mut [f64],
    /// With respect to the row points (M×D), where wanted.
    pub rows: Option<MatMut<'a, f64>>,
    /// With respect to the column points (N×D), where wanted.
    pub cols: Option<MatMut<'a, f64>>,
}

/// The gradients one shard has collected: parameters, row points, and the column points of each of its tiles.
struct Partial {
    params: Vec<f64>,
    rows: Option<Vec<f64>>,
    cols: Vec<(usize, Vec<f64>)>,
}

/// One tile of a reverse pass: its first column, its pair, and whether its lower triangle stands for both.
struct Tile<'a> {
    start: usize,
    pair: Pair<'a>,
}

impl Evaluator {
    /// Adds the gradients of `Σ upstream ∘ cross(rows, cols)` for `upstream` of M×N.
    ///
    /// # Errors
    /// As [`cross`](Evaluator::cross), also for gradients of the wrong shape.
    pub fn cross_reverse<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        rows: MatRef<'_, f64>,
        cols: MatRef<'_, f64>,
        upstream: MatRef<'_, f64>,
        mut grads: CovarianceGradients<'_>,
    ) -> Result<(), KernelError> {
        check_count("columns of the pair", "columns", rows.ncols(), cols.ncols())?;
        check_shape("upstream", shape(upstream), (rows.nrows(), cols.nrows()))?;
        check_gradients(kernel, &grads, shape(rows), shape(cols))?;
        let (row_table, col_table) = (self.table("rows", kernel, rows)?, self.table("cols", kernel, cols)?);
        let (row_points, col_points) = (row_table.view(), col_table.view());
        let width = tile_columns(rows.nrows());
        let wants = Wants { rows: grads.rows.is_some(), cols: grads.cols.is_some() };
        let partials = self.shards(cols.nrows().div_ceil(width), |shard, tiles, ws| {
            let mut partial = Partial::new(parameter_count(kernel), rows.nrows() * rows.ncols(), wants, ws);
            for start in tiles.map(|tile| tile * width) {
                let columns = width.min(cols.nrows() - start);
                let pair = Pair::distinct(row_points, col_points.subrows(start, columns));
                let weights = upstream.subcols(start, columns);
                with_block(weights, ws, |block, ws| {
                    partial.add(kernel, &Tile { start, pair }, 0, block, wants, ws);
                });
            }
            debug_assert!(shard < SHARDS);
            partial
        });
        for partial in partials {
            self.add_partial(partial, &mut grads);
        }
        self.done([row_table, col_table]);
        Ok(())
    }

    /// Adds the gradients of `Σ upstream ∘ gram(points)` for `upstream` of N×N, which need not be symmetric.
    ///
    /// # Errors
    /// As [`gram`](Evaluator::gram), also for gradients of the wrong shape.
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
        let mut grads = CovarianceGradients { params, rows: point_grads, cols: None };
        check_gradients(kernel, &grads, shape(points), (0, 0))?;
        let table = self.table("points", kernel, points)?;
        let all = table.view();
        let width = tile_columns(count);
        let wanted = grads.rows.is_some();
        let wants = Wants { rows: wanted, cols: wanted };
        let partials = self.shards(count.div_ceil(width), |_, tiles, ws| {
            let mut partial = Partial::new(parameter_count(kernel), count * points.ncols(), wants, ws);
            for start in tiles.map(|tile| tile * width) {
                let columns = width.min(count - start);
                let pair = Pair {
                    rows: all.subrows(start, count - start),
                    cols: all.subrows(start, columns),
                    same: true,
                };
                let mut weights = ws.take_dirty((count - start) * columns);
                fold_lower(upstream, start, columns, &mut weights);
                let block = views::block(&weights, count - start, columns);
                partial.add(kernel, &Tile { start, pair }, start, block, wants, ws);
                ws.give(weights);
            }
            partial
        });
        for mut partial in partials {
            // Column points are the same table: what was collected for them belongs to the row points.
            let cols = std::mem::take(&mut partial.cols);
            self.add_partial(partial, &mut grads);
            if let Some(out) = &mut grads.rows {
                cols.iter().for_each(|(start, grad)| add_rows(grad, *start, out));
            }
            self.with_workspace(|ws| cols.into_iter().for_each(|(_, grad)| ws.give(grad)));
        }
        self.done([table]);
        Ok(())
    }

    /// Adds the gradients of `Σ upstream · diagonal(points)`.
    ///
    /// # Errors
    /// As [`diagonal`](Evaluator::diagonal), also for gradients of the wrong shape.
    pub fn diagonal_reverse<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        points: MatRef<'_, f64>,
        upstream: &[f64],
        params: &mut [f64],
        point_grads: Option<MatMut<'_, f64>>,
    ) -> Result<(), KernelError> {
        check_count("upstream", "entries", points.nrows(), upstream.len())?;
        let mut grads = CovarianceGradients { params, rows: point_grads, cols: None };
        check_gradients(kernel, &grads, shape(points), (0, 0))?;
        let table = self.table("points", kernel, points)?;
        let wants = Wants { rows: grads.rows.is_some(), cols: false };
        let partial = self.with_workspace(|ws| {
            let (count, dim) = shape(points);
            let mut partial = Partial::new(parameter_count(kernel), count * dim, wants, ws);
            let rows = partial.rows.as_mut().map(|rows| views::points_mut(rows, count, dim));
            let own = Gradients { params: &mut partial.params, rows, cols: None };
            kernel.diagonal_reverse(table.view(), upstream, own, ws);
            partial
        });
        self.add_partial(partial, &mut grads);
        self.done([table]);
        Ok(())
    }

    /// Calls `body` with each shard's tiles (every `SHARDS`-th, which balances triangles too), and returns the
    /// results in the order of the shards.
    fn shards(
        &self,
        tiles: usize,
        body: impl Fn(usize, std::iter::StepBy<std::ops::Range<usize>>, &mut Workspace) -> Partial + Sync,
    ) -> Vec<Partial> {
        let run = |shard: usize| self.with_workspace(|ws| body(shard, (shard..tiles).step_by(SHARDS), ws));
        let shards = 0..SHARDS.min(tiles);
        match self.threading {
            Threading::Here => shards.map(run).collect(),
            Threading::Pool => shards.into_par_iter().map(run).collect(),
        }
    }

    /// Adds a shard's gradients to the caller's and takes its memory back.
    fn add_partial(&self, partial: Partial, grads: &mut CovarianceGradients<'_>) {
        grads.params.iter_mut().zip(&partial.params).for_each(|(out, g)| *out += g);
        if let (Some(rows), Some(out)) = (&partial.rows, &mut grads.rows) {
            add_rows(rows, 0, out);
        }
        if let Some(out) = &mut grads.cols {
            partial.cols.iter().for_each(|(start, grad)| add_rows(grad, *start, out));
        }
        self.with_workspace(|ws| {
            ws.give(partial.params);
            partial
                .rows
                .into_iter()
                .chain(partial.cols.into_iter().map(|(_, grad)| grad))
                .for_each(|b| ws.give(b));
        });
    }
}

/// Which point gradients are wanted.
#[derive(Clone, Copy)]
struct Wants {
    rows: bool,
    cols: bool,
}

impl Partial {
    fn new(params: usize, rows: usize, wants: Wants, ws: &mut Workspace) -> Self {
        let rows = wants.rows.then(|| ws.take(rows));
        Self { params: ws.take(params), rows, cols: Vec::new() }
    }

    /// Adds the gradients of one tile, whose row points begin at `first_row` of the table.
    fn add<K: Kernel + ?Sized>(
        &mut self,
        kernel: &K,
        tile: &Tile<'_>,
        first_row: usize,
        upstream: Block<'_>,
        wants: Wants,
        ws: &mut Workspace,
    ) {
        let dim = tile.pair.dim();
        let (m, n) = (upstream.nrows(), upstream.ncols());
        let mut cols = wants.cols.then(|| ws.take(n * dim));
        let grads = Gradients {
            params: &mut self.params,
            rows: self.rows.as_mut().map(|rows| views::points_mut(&mut rows[first_row * dim..], m, dim)),
            cols: cols.as_mut().map(|cols| views::points_mut(cols, n, dim)),
        };
        kernel.tile_reverse(tile.pair, upstream, grads, ws);
        self.cols.extend(cols.map(|cols| (tile.start, cols)));
    }
}

/// Calls `body` with a tile of contiguous columns, copied where the caller's are not.
fn with_block(matrix: MatRef<'_, f64>, ws: &mut Workspace, mut body: impl FnMut(Block<'_>, &mut Workspace)) {
    if let Some(block) = matrix.try_as_col_major() {
        return body(block, ws);
    }
    let (m, n) = shape(matrix);
    let mut buffer = ws.take_dirty(m * n);
    views::block_mut(&mut buffer, m, n).copy_from(matrix);
    body(views::block(&buffer, m, n), ws);
    ws.give(buffer);
}

/// The weights of the entries on and below the diagonal when each stands for its mirror image too:
/// columns `start..start+columns`, rows from `start` on.
fn fold_lower(upstream: MatRef<'_, f64>, start: usize, columns: usize, weights: &mut [f64]) {
    let count = upstream.nrows();
    for (j, column) in weights.chunks_exact_mut(count - start).enumerate().take(columns) {
        column[..j].fill(0.0);
        column[j] = upstream[(start + j, start + j)];
        for (i, weight) in column.iter_mut().enumerate().skip(j + 1) {
            *weight = upstream[(start + i, start + j)] + upstream[(start + j, start + i)];
        }
    }
}

/// Adds a buffer of points to the rows from `start` on.
fn add_rows(grad: &[f64], start: usize, out: &mut MatMut<'_, f64>) {
    let dim = out.ncols();
    if dim == 0 {
        return;
    }
    for (i, row) in grad.chunks_exact(dim).enumerate() {
        for (d, g) in row.iter().enumerate() {
            out[(start + i, d)] += g;
        }
    }
}

fn check_gradients<K: Kernel + ?Sized>(
    kernel: &K,
    grads: &CovarianceGradients<'_>,
    rows: (usize, usize),
    cols: (usize, usize),
) -> Result<(), KernelError> {
    check_count("parameter gradient", "entries", parameter_count(kernel), grads.params.len())?;
    if let Some(out) = &grads.rows {
        check_shape("gradient of the row points", shape_mut(out), rows)?;
    }
    if let Some(out) = &grads.cols {
        check_shape("gradient of the column points", shape_mut(out), cols)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_keeps_the_sum_of_all_weights() {
        let upstream = faer::Mat::from_fn(7, 7, |i, j| (3 * i + 5 * j) as f64);
        let all: f64 = (0..7).flat_map(|i| (0..7).map(move |j| (3 * i + 5 * j) as f64)).sum();
        let mut folded = 0.0;
        for (start, columns) in [(0, 3), (3, 3), (6, 1)] {
            let mut weights = vec![f64::NAN; (7 - start) * columns];
            fold_lower(upstream.as_ref(), start, columns, &mut weights);
            folded += weights.iter().sum::<f64>();
        }
        assert_eq!(folded, all);
    }
}
