//! Contiguous points and tiles.

use faer::prelude::ReborrowMut;
use faer::{ContiguousFwd, MatMut, MatRef};

/// N points, N×D, contiguous rows.
pub type Points<'a> = MatRef<'a, f64, usize, usize, isize, ContiguousFwd>;
/// Mutable [`Points`].
pub type PointsMut<'a> = MatMut<'a, f64, usize, usize, isize, ContiguousFwd>;
/// Covariance tile, contiguous columns.
pub type Block<'a> = MatRef<'a, f64, usize, usize, ContiguousFwd, isize>;
/// Mutable [`Block`].
pub type BlockMut<'a> = MatMut<'a, f64, usize, usize, ContiguousFwd, isize>;

/// Coordinates of point `i`.
#[inline]
pub fn point<'a>(points: Points<'a>, i: usize) -> &'a [f64] {
    points.row(i).as_slice()
}

/// Column `j` of a tile.
#[inline]
pub fn column<'a>(tile: Block<'a>, j: usize) -> &'a [f64] {
    tile.col(j).as_slice()
}

/// Column `j`, mutable.
#[inline]
pub fn column_mut<'a>(tile: &'a mut BlockMut<'_>, j: usize) -> &'a mut [f64] {
    tile.rb_mut().col_mut(j).as_slice_mut()
}

/// Coordinates of point `i`, mutable.
#[inline]
pub fn point_mut<'a>(points: &'a mut PointsMut<'_>, i: usize) -> &'a mut [f64] {
    points.rb_mut().row_mut(i).as_slice_mut()
}
