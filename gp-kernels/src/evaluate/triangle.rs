//! Gram matrices by tiles of the lower triangle.
//!
//! In reverse, tiles below the diagonal add the upstream of their mirror image; diagonal tiles symmetrise theirs and
//! have gradients by row points only. The matrix diagonal has its own reverse pass.

use std::ops::Range;

use faer::prelude::ReborrowMut;
use faer::{MatMut, MatRef};
use gp_linalg::product::symmetrise_lower;

use super::Evaluator;
use super::forward::Tiles;
use super::reverse::in_place;
use super::shard::{SHARDS, add_params, add_points};
use crate::error::KernelError;
use crate::kernel::{Gradients, Kernel, Pair, Points, TileShape};
use crate::views;
use crate::workspace::Workspace;

/// Maximum points per tile side (0.5 MB).
const EDGE: usize = 256;
/// Minimum points for several threads.
const WORTH_CUTTING: usize = 128;

#[derive(Clone, Copy, Debug)]
struct Triangle {
    count: usize,
    edge: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Tile {
    index: usize,
    rows: Range<usize>,
    cols: Range<usize>,
}

impl Triangle {
    fn new(count: usize) -> Self {
        let least = if count < WORTH_CUTTING { 1 } else { 2 };
        let edge = count.div_ceil(count.div_ceil(EDGE).max(least));
        Self { count, edge: edge.next_multiple_of(8).max(8) }
    }

    fn side(self) -> usize {
        self.count.div_ceil(self.edge)
    }

    fn range(self, block: usize) -> Range<usize> {
        block * self.edge..self.count.min((block + 1) * self.edge)
    }

    fn tile(self, row: usize, col: usize) -> Tile {
        let before = col * (2 * self.side() + 1 - col) / 2;
        Tile { index: before + row - col, rows: self.range(row), cols: self.range(col) }
    }

    fn tiles(self) -> impl Iterator<Item = Tile> + Clone {
        let side = self.side();
        (0..side).flat_map(move |col| (col..side).map(move |row| self.tile(row, col)))
    }

    fn shares(self) -> usize {
        SHARDS.min(self.side() * (self.side() + 1) / 2)
    }

    fn share(self, index: usize) -> impl Iterator<Item = Tile> + Clone {
        self.tiles().skip(index).step_by(SHARDS)
    }
}

impl Tile {
    fn is_diagonal(&self) -> bool {
        self.rows == self.cols
    }

    fn pair<'p>(&self, all: Points<'p>) -> Pair<'p> {
        Pair {
            rows: all.subrows(self.rows.start, self.rows.len()),
            cols: all.subrows(self.cols.start, self.cols.len()),
            same: self.is_diagonal(),
        }
    }

    fn shape(&self, dim: usize) -> TileShape {
        TileShape { rows: self.rows.len(), cols: self.cols.len(), dim, same: self.is_diagonal() }
    }
}

/// Record length for `count` points; tiles in order.
pub(crate) fn gram_record_len<K: Kernel + ?Sized>(kernel: &K, count: usize, dim: usize) -> usize {
    record_len(kernel, dim, Triangle::new(count).tiles())
}

fn record_len<K: Kernel + ?Sized>(kernel: &K, dim: usize, tiles: impl Iterator<Item = Tile>) -> usize {
    tiles.map(|tile| kernel.record_len(tile.shape(dim))).fold(0, usize::saturating_add)
}

struct Share {
    params: Vec<f64>,
    /// Gradients of the span's points.
    points: Option<Vec<f64>>,
}

#[derive(Clone, Copy)]
struct ReversePass<'a, K: ?Sized> {
    kernel: &'a K,
    points: Points<'a>,
    upstream: MatRef<'a, f64>,
    record: &'a [f64],
}

impl Evaluator {
    /// Unchecked [`gram`](Evaluator::gram); `record` is empty or [`gram_record_len`].
    pub(crate) fn gram_of<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        points: Points<'_>,
        mut out: MatMut<'_, f64>,
        record: &mut [f64],
    ) -> Result<(), KernelError> {
        let (triangle, dim) = (Triangle::new(points.nrows()), points.ncols());
        let (edge, side) = (triangle.edge, triangle.side());
        let blocks = |range: Range<usize>| range.start / edge..range.end.div_ceil(edge);
        let strips = Tiles {
            width: edge,
            record_len: |range| {
                let tiles = blocks(range).flat_map(|col| (col..side).map(move |row| triangle.tile(row, col)));
                record_len(kernel, dim, tiles)
            },
        };
        self.for_each_tile(&strips, out.rb_mut(), record, |strip, start, record| {
            let below = strip.subrows_mut(start, triangle.count - start);
            let place = |row: usize| triangle.tile(start / edge + row, start / edge);
            // Rows are cut as columns of the transpose.
            let tiles =
                Tiles { width: edge, record_len: |range| record_len(kernel, dim, blocks(range).map(place)) };
            self.for_each_tile(&tiles, below.transpose_mut(), record, |tile, at, record| {
                self.fill(kernel, place(at / edge).pair(points), tile.transpose_mut(), record);
            });
        });
        Ok(symmetrise_lower(out)?)
    }

    /// Unchecked [`gram_reverse`](Evaluator::gram_reverse); `record` is empty or from [`gram_of`](Evaluator::gram_of).
    pub(crate) fn gram_reverse_of<K: Kernel + ?Sized>(
        &self,
        kernel: &K,
        points: Points<'_>,
        upstream: MatRef<'_, f64>,
        params: &mut [f64],
        mut point_grads: Option<MatMut<'_, f64>>,
        record: &[f64],
    ) {
        let (triangle, dim) = (Triangle::new(points.nrows()), points.ncols());
        let (count, wanted) = (params.len(), point_grads.is_some());
        let pass = ReversePass { kernel, points, upstream, record };
        if triangle.shares() == 1
            && let Some(to) = in_place(params, point_grads.as_mut(), None)
        {
            return self.with_workspace(|ws| pass.add(&triangle.tile(0, 0), 0, to, ws));
        }
        let span = |index: usize| {
            let start = triangle.share(index).map(|tile| tile.cols.start).min().unwrap_or(0);
            start..triangle.share(index).map(|tile| tile.rows.end).max().unwrap_or(start)
        };
        let run = |index: usize, ws: &mut Workspace| {
            let span = span(index);
            let mut params = ws.take(count);
            let mut points = wanted.then(|| ws.take(span.len() * dim));
            for tile in triangle.share(index) {
                let rows = points.as_mut().map(|points| views::points_mut(points, span.len(), dim));
                pass.add(&tile, span.start, Gradients { params: &mut params, rows, cols: None }, ws);
            }
            Share { params, points }
        };
        self.for_each_part(triangle.shares(), run, |index, share, ws| {
            add_params(&share.params, params);
            if let (Some(points), Some(out)) = (&share.points, &mut point_grads) {
                add_points(points, span(index).start, out);
            }
            std::iter::once(share.params).chain(share.points).for_each(|buffer| ws.give(buffer));
        });
    }
}

impl<K: Kernel + ?Sized> ReversePass<'_, K> {
    /// Adds a tile's gradients; `to.rows` starts at `first`.
    fn add(&self, tile: &Tile, first: usize, mut to: Gradients<'_>, ws: &mut Workspace) {
        let (m, n) = (tile.rows.len(), tile.cols.len());
        let mut weights = ws.take_dirty(m * n);
        fold(self.upstream, tile, &mut weights);
        let (pair, upstream) = (tile.pair(self.points), views::block(&weights, m, n));
        let record = self.record_of(tile);
        if tile.is_diagonal() {
            // A diagonal tile holds every entry and its mirror image, so parameters would be counted twice.
            let mut params = ws.take(to.params.len());
            let mut rows = to.rows.take().map(|points| points.subrows_mut(tile.rows.start - first, m));
            let own = rows.as_mut().map(|rows| rows.rb_mut());
            let once = Gradients { params: &mut params, rows: own, cols: None };
            self.kernel.tile_reverse(pair, upstream, once, record, ws);
            to.params.iter_mut().zip(&params).for_each(|(sum, twice)| *sum += 0.5 * twice);
            ws.give(params);
            self.add_diagonal(tile, Gradients { params: to.params, rows, cols: None }, ws);
        } else {
            let parts = to.rows.map(|points| {
                let (before, from) = points.split_at_row_mut(tile.rows.start - first);
                (before.subrows_mut(tile.cols.start - first, n), from.subrows_mut(0, m))
            });
            let (cols, rows) = parts.unzip();
            let to = Gradients { params: to.params, rows, cols };
            self.kernel.tile_reverse(pair, upstream, to, record, ws);
        }
        ws.give(weights);
    }

    fn record_of(&self, tile: &Tile) -> &[f64] {
        if self.record.is_empty() {
            return self.record;
        }
        let dim = self.points.ncols();
        let before = Triangle::new(self.points.nrows()).tiles().take(tile.index);
        let start = record_len(self.kernel, dim, before);
        &self.record[start..][..self.kernel.record_len(tile.shape(dim))]
    }

    /// Adds gradients of the matrix diagonal, where kernels may have kinks.
    fn add_diagonal(&self, tile: &Tile, to: Gradients<'_>, ws: &mut Workspace) {
        let mut upstream = ws.take_dirty(tile.rows.len());
        for (upstream, i) in upstream.iter_mut().zip(tile.rows.clone()) {
            *upstream = self.upstream[(i, i)];
        }
        self.kernel.diagonal_reverse(tile.pair(self.points).rows, &upstream, to, ws);
        ws.give(upstream);
    }
}

/// Upstream of a tile and its mirror image, 0 on the diagonal.
fn fold(upstream: MatRef<'_, f64>, tile: &Tile, weights: &mut [f64]) {
    // Columns per step: the mirror image is read across them.
    const STRIP: usize = 16;
    let (rows, cols) = (&tile.rows, &tile.cols);
    for (strip, weights) in weights.chunks_mut(STRIP * rows.len()).enumerate() {
        let first = cols.start + strip * STRIP;
        for (i, row) in rows.clone().enumerate() {
            for (j, weight) in weights[i..].iter_mut().step_by(rows.len()).enumerate() {
                let col = first + j;
                *weight = if row == col { 0.0 } else { upstream[(row, col)] + upstream[(col, row)] };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_numbered_and_cover_the_triangle_once() {
        for count in [0, 1, 7, 127, 128, 200, 255, 256, 257, 500, 513, 1000, 1499] {
            let triangle = Triangle::new(count);
            let mut seen = vec![0; count * count];
            for (k, tile) in triangle.tiles().enumerate() {
                assert_eq!(tile.index, k);
                assert!(tile.rows.len() <= EDGE && tile.cols.len() <= EDGE && !tile.rows.is_empty());
                for (i, j) in tile.rows.clone().flat_map(|i| tile.cols.clone().map(move |j| (i, j))) {
                    seen[i * count + j] += 1;
                }
            }
            for (i, j) in (0..count).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                assert_eq!(seen[i * count + j], 1, "{i}, {j} of {count}");
            }
            let shared: usize = (0..triangle.shares()).map(|k| triangle.share(k).count()).sum();
            assert_eq!(shared, triangle.tiles().count());
        }
    }

    #[test]
    fn folding_adds_the_mirror_image() {
        let upstream = faer::Mat::from_fn(40, 40, |i, j| (100 * i + j) as f64);
        let tile = Tile { index: 0, rows: 21..40, cols: 2..20 };
        let mut weights = vec![f64::NAN; 19 * 18];
        fold(upstream.as_ref(), &tile, &mut weights);
        for (i, j) in (0..19).flat_map(|i| (0..18).map(move |j| (i, j))) {
            assert_eq!(weights[j * 19 + i], (101 * (21 + i + 2 + j)) as f64);
        }
    }
}
