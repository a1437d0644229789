//! Shards of a reverse pass.

use faer::MatMut;
use faer::prelude::ReborrowMut;

use crate::kernel::{Gradients, point_mut};
use crate::views;
use crate::workspace::Workspace;

/// Maximum shards, and so threads; added in order.
pub(super) const SHARDS: usize = 16;

#[derive(Clone, Copy, Debug)]
pub(super) struct Wants {
    pub(super) rows: bool,
    pub(super) cols: bool,
}

/// Sizes of a reverse pass; shard k has tiles k + n `SHARDS`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shards {
    pub(super) params: usize,
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) dim: usize,
    pub(super) width: usize,
    pub(super) wants: Wants,
}

impl Shards {
    fn tile_count(self) -> usize {
        self.cols.div_ceil(self.width)
    }

    pub(super) fn count(self) -> usize {
        SHARDS.min(self.tile_count())
    }

    /// First column and width per tile.
    pub(super) fn tiles(self, shard: usize) -> impl Iterator<Item = (usize, usize)> {
        let starts = (shard..self.tile_count()).step_by(SHARDS).map(move |tile| tile * self.width);
        starts.map(move |start| (start, self.width.min(self.cols - start)))
    }
}

/// Gradients: parameters, all row points, own column points.
pub(super) struct Shard {
    index: usize,
    sizes: Shards,
    params: Vec<f64>,
    rows: Option<Vec<f64>>,
    cols: Option<Vec<f64>>,
}

impl Shard {
    pub(super) fn new(index: usize, sizes: Shards, ws: &mut Workspace) -> Self {
        let columns: usize = sizes.tiles(index).map(|(_, columns)| columns).sum();
        Self {
            index,
            sizes,
            params: ws.take(sizes.params),
            rows: sizes.wants.rows.then(|| ws.take(sizes.rows * sizes.dim)),
            cols: sizes.wants.cols.then(|| ws.take(columns * sizes.dim)),
        }
    }

    pub(super) fn gradients(&mut self, (start, columns): (usize, usize)) -> Gradients<'_> {
        let Shards { dim, rows: count, .. } = self.sizes;
        let offset = self.column_offset(start);
        Gradients {
            params: &mut self.params,
            rows: self.rows.as_mut().map(|rows| views::points_mut(rows, count, dim)),
            cols: self.cols.as_mut().map(|cols| views::points_mut(&mut cols[offset * dim..], columns, dim)),
        }
    }

    /// Offset of a tile in column gradients; all tiles before it are full.
    fn column_offset(&self, start: usize) -> usize {
        (start / self.sizes.width - self.index) / SHARDS * self.sizes.width
    }

    pub(super) fn add_params(&self, out: &mut [f64]) {
        add_params(&self.params, out);
    }

    pub(super) fn add_rows(&self, out: Option<&mut MatMut<'_, f64>>) {
        if let (Some(rows), Some(out)) = (&self.rows, out) {
            add_points(rows, 0, out);
        }
    }

    pub(super) fn add_cols(&self, out: Option<&mut MatMut<'_, f64>>) {
        if let (Some(cols), Some(out)) = (&self.cols, out) {
            for (start, columns) in self.sizes.tiles(self.index) {
                let offset = self.column_offset(start);
                add_points(&cols[offset * self.sizes.dim..][..columns * self.sizes.dim], start, out);
            }
        }
    }

    pub(super) fn give_back(self, ws: &mut Workspace) {
        std::iter::once(self.params).chain(self.rows).chain(self.cols).for_each(|buffer| ws.give(buffer));
    }
}

pub(super) fn add_params(grad: &[f64], out: &mut [f64]) {
    out.iter_mut().zip(grad).for_each(|(out, g)| *out += g);
}

pub(super) fn add_points(grad: &[f64], start: usize, out: &mut MatMut<'_, f64>) {
    let dim = out.ncols();
    if dim == 0 {
        return;
    }
    let rows = grad.chunks_exact(dim).enumerate();
    match out.rb_mut().try_as_row_major_mut() {
        Some(mut out) => rows.for_each(|(i, row)| add_params(row, point_mut(&mut out, start + i))),
        None => rows.for_each(|(i, row)| {
            row.iter().enumerate().for_each(|(d, g)| out[(start + i, d)] += g);
        }),
    }
}
