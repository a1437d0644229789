//! Kernels with closed forms for Gaussian windows.

use crate::tables::{Block, BlockMut, Points, PointsMut};
use crate::workspace::Workspace;
use faer::prelude::ReborrowMut;

/// Two tables of windows: centres, and variances per dimension.
#[derive(Clone, Copy, Debug)]
pub struct WindowedPair<'a> {
    /// Centres of the row windows, M×D.
    pub rows: Points<'a>,
    /// Variances of the row windows, M×D.
    pub row_windows: Points<'a>,
    /// Centres of the column windows, N×D.
    pub cols: Points<'a>,
    /// Variances of the column windows, N×D; `None` for points.
    pub col_windows: Option<Points<'a>>,
}

/// Accumulators of a reverse pass with windows.
#[derive(Debug)]
pub struct WindowedGradients<'a> {
    /// Parameter gradient in natural units.
    pub params: &'a mut [f64],
    /// Gradient of row centres, M×D.
    pub rows: PointsMut<'a>,
    /// Gradient of row variances, M×D.
    pub row_windows: PointsMut<'a>,
    /// Gradient of column centres, N×D, if wanted.
    pub cols: Option<PointsMut<'a>>,
    /// Gradient of column variances, N×D, if wanted.
    pub col_windows: Option<PointsMut<'a>>,
}

impl WindowedGradients<'_> {
    /// Accumulators of a child with parameters `range`.
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

/// Closed forms of a kernel with Gaussian windows.
pub trait Windowed: Sync {
    /// Writes `cov(g(rows_i), g(cols_j))` to `out` (M×N).
    fn windowed_tile(&self, pair: WindowedPair<'_>, out: BlockMut<'_>, ws: &mut Workspace);

    /// Adds the gradients of `Σ upstream ∘ windowed_tile` and returns that sum.
    fn windowed_reverse(
        &self,
        pair: WindowedPair<'_>,
        upstream: Block<'_>,
        grads: WindowedGradients<'_>,
        ws: &mut Workspace,
    ) -> f64;
}
