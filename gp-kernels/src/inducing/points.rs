//! Points shared by projections.

use std::sync::Arc;

use faer::MatRef;

use crate::kernel::Points;
use crate::views;

/// N×D points, shared without copies.
#[derive(Clone, Debug, Default)]
pub struct SharedPoints {
    values: Arc<Vec<f64>>,
    count: usize,
    dim: usize,
}

impl SharedPoints {
    /// Copy of points (N×D).
    #[must_use]
    pub fn new(x: MatRef<'_, f64>) -> Self {
        let mut points = Self::default();
        points.copy_from(x);
        points
    }

    /// Copies points (N×D), as [`overwrite`](SharedPoints::overwrite).
    pub fn copy_from(&mut self, x: MatRef<'_, f64>) {
        let (count, dim) = (x.nrows(), x.ncols());
        views::points_mut(self.overwrite(count, dim), count, dim).copy_from(x);
    }

    /// Buffer for `count` points; reuses unshared memory.
    pub fn overwrite(&mut self, count: usize, dim: usize) -> &mut [f64] {
        (self.count, self.dim) = (count, dim);
        if Arc::get_mut(&mut self.values).is_none() {
            self.values = Arc::default();
        }
        let values = Arc::make_mut(&mut self.values);
        values.resize(count * dim, 0.0);
        values
    }

    /// D coordinates per point.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Points, N×D.
    #[must_use]
    pub fn view(&self) -> Points<'_> {
        views::points(&self.values, self.count, self.dim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_once_nobody_shares_it() {
        let mut points = SharedPoints::default();
        points.overwrite(2, 3).fill(1.0);
        let (place, shared) = (points.values.as_ptr(), points.clone());
        points.overwrite(2, 3).fill(2.0);
        assert_eq!((shared.values[0], points.values[0]), (1.0, 2.0));
        drop(points);
        let mut points = shared;
        points.overwrite(1, 3).fill(3.0);
        assert_eq!((points.values.as_ptr(), points.view().nrows()), (place, 1));
    }
}
