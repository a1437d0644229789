//! Closed forms for Gaussian windows.

use crate::tables::{Block, BlockMut, Points, PointsMut};
use crate::workspace::Workspace;
use faer::prelude::ReborrowMut;

/// Centres and variances of two tables.
#[derive(Clone, Copy, Debug)]
pub struct WindowedPair<'a> {
    /// Row centres, M×D.
    pub rows: Points<'a>,
    /// Row variances, M×D.
    pub row_windows: Points<'a>,
    /// Column centres, N×D.
    pub cols: Points<'a>,
    /// Column variances, N×D; `None` for points.
    pub col_windows: Option<Points<'a>>,
}

/// Gradient accumulators with windows.
#[derive(Debug)]
pub struct WindowedGradients<'a> {
    /// Parameter gradient in natural units.
    pub params: &'a mut [f64],
    /// Gradient of row centres, M×D.
    pub rows: PointsMut<'a>,
    /// Gradient of row variances, M×D.
    pub row_windows: PointsMut<'a>,
    /// Gradient of column centres, N×D.
    pub cols: Option<PointsMut<'a>>,
    /// Gradient of column variances, N×D.
    pub col_windows: Option<PointsMut<'a>>,
}

impl WindowedGradients<'_> {
    pub(super) fn for_params(&mut self, range: std::ops::Range<usize>) -> WindowedGradients<'_> {
        WindowedGradients {
            params: &mut self.params[range],
            rows: self.rows.rb_mut(),
            row_windows: self.row_windows.rb_mut(),
            cols: self.cols.as_mut().map(|cols| cols.rb_mut()),
            col_windows: self.col_windows.as_mut().map(|windows| windows.rb_mut()),
        }
    }
}

/// Closed forms with Gaussian windows.
pub trait Windowed: Sync {
    /// Writes `cov(g(rows_i), g(cols_j))` to `out` (M×N).
    fn windowed_tile(&self, pair: WindowedPair<'_>, out: BlockMut<'_>, ws: &mut Workspace);

    /// Adds gradients of `Σ upstream ∘ windowed_tile`; returns this sum.
    fn windowed_reverse(
        &self,
        pair: WindowedPair<'_>,
        upstream: Block<'_>,
        grads: WindowedGradients<'_>,
        ws: &mut Workspace,
    ) -> f64;
}
