//! The reverse pass: from upstream matrices to gradients of parameters and points.

use faer::{MatMut, MatRef};
use gp_linalg::Threading;
use rayon::prelude::*;

use super::shard::{Shard, Shards, Wants};
use super::{Evaluator, check_count, check_shape, shape, shape_mut, tile_columns};
use crate::error::KernelError;
use crate::kernel::{Block, Kernel, Pair};
use crate::tree::parameter_count;
use crate::views;
use crate::workspace::Workspace;

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
        let shards = Shards {
            params: parameter_count(kernel),
            rows: rows.nrows(),
            cols: cols.nrows(),
            dim: rows.ncols(),
            width: tile_columns(rows.nrows()),
            wants: Wants { rows: grads.rows.is_some(), cols: grads.cols.is_some() },
        };
        let run = |index: usize, ws: &mut Workspace| {
            let mut shard = Shard::new(index, shards, ws);
            for (start, columns) in shards.tiles(index) {
                let pair = Pair::distinct(row_points, col_points.subrows(start, columns));
                with_block(upstream.subcols(start, columns), ws, |block, ws| {
                    shard.add(start, 0, pair, |pair, to, ws| kernel.tile_reverse(pair, block, to, ws), ws);
                });
            }
            shard
        };
        self.for_each_shard(shards, run, |shard| {
            shard.add_params(grads.params);
            shard.add_rows(grads.rows.as_mut());
            shard.add_cols(grads.cols.as_mut());
        });
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
        mut point_grads: Option<MatMut<'_, f64>>,
    ) -> Result<(), KernelError> {
        let count = points.nrows();
        check_shape("upstream", shape(upstream), (count, count))?;
        check_point_gradients(kernel, params, point_grads.as_ref(), shape(points))?;
        let table = self.table("points", kernel, points)?;
        let all = table.view();
        let wanted = point_grads.is_some();
        let shards = Shards {
            params: params.len(),
            rows: count,
            cols: count,
            dim: points.ncols(),
            width: tile_columns(count),
            wants: Wants { rows: wanted, cols: wanted },
        };
        let run = |index: usize, ws: &mut Workspace| {
            let mut shard = Shard::new(index, shards, ws);
            for (start, columns) in shards.tiles(index) {
                let below = count - start;
                let pair =
                    Pair { rows: all.subrows(start, below), cols: all.subrows(start, columns), same: true };
                let mut weights = ws.take_dirty(below * columns);
                fold_lower(upstream, start, columns, &mut weights);
                let block = views::block(&weights, below, columns);
                shard.add(start, start, pair, |pair, to, ws| kernel.tile_reverse(pair, block, to, ws), ws);
                ws.give(weights);
            }
            shard
        };
        self.for_each_shard(shards, run, |shard| {
            shard.add_params(params);
            shard.add_rows(point_grads.as_mut());
            // Column points are the same table: what was collected for them belongs there too.
            shard.add_cols(point_grads.as_mut());
        });
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
        mut point_grads: Option<MatMut<'_, f64>>,
    ) -> Result<(), KernelError> {
        let (count, dim) = shape(points);
        check_count("upstream", "entries", count, upstream.len())?;
        check_point_gradients(kernel, params, point_grads.as_ref(), shape(points))?;
        let table = self.table("points", kernel, points)?;
        let wants = Wants { rows: point_grads.is_some(), cols: false };
        let shards = Shards { params: params.len(), rows: count, cols: 0, dim, width: 1, wants };
        self.with_workspace(|ws| {
            let mut shard = Shard::new(0, shards, ws);
            kernel.diagonal_reverse(table.view(), upstream, shard.diagonal_gradients(), ws);
            shard.add_params(params);
            shard.add_rows(point_grads.as_mut());
            shard.give_back(ws);
        });
        self.done([table]);
        Ok(())
    }

    /// Runs every shard and hands the results to `finish` in their order, whichever thread made them.
    fn for_each_shard(
        &self,
        shards: Shards,
        run: impl Fn(usize, &mut Workspace) -> Shard + Sync,
        mut finish: impl FnMut(&Shard),
    ) {
        let run = |index: usize| self.with_workspace(|ws| run(index, ws));
        let mut done = |shard: Shard| {
            finish(&shard);
            self.with_workspace(|ws| shard.give_back(ws));
        };
        match self.threading {
            Threading::Here => (0..shards.count()).map(run).for_each(done),
            Threading::Pool => {
                let results: Vec<Shard> = (0..shards.count()).into_par_iter().map(run).collect();
                results.into_iter().for_each(&mut done);
            }
        }
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
