//! What a kernel that can be seen through Gaussian windows says of itself.

use crate::tables::{Block, BlockMut, Points, PointsMut};
use crate::workspace::Workspace;
use faer::prelude::ReborrowMut;

/// Two tables of windows: their centres, and the variances of the windows in each dimension.
#[derive(Clone, Copy, Debug)]
pub struct WindowedPair<'a> {
    /// Centres of the row windows, M×D.
    pub rows: Points<'a>,
    /// Variances of the row windows, M×D.
    pub row_windows: Points<'a>,
    /// Centres of the column windows, N×D.
    pub cols: Points<'a>,
    /// Variances of the column windows, N×D; `None` for points, which are windows of no width.
    pub col_windows: Option<Points<'a>>,
}

/// Where a windowed reverse pass adds its gradients.
#[derive(Debug)]
pub struct WindowedGradients<'a> {
    /// One number per parameter, in natural units.
    pub params: &'a mut [f64],
    /// With respect to the row centres, M×D.
    pub rows: PointsMut<'a>,
    /// With respect to the variances of the row windows, M×D.
    pub row_windows: PointsMut<'a>,
    /// With respect to the column centres, N×D, where wanted.
    pub cols: Option<PointsMut<'a>>,
    /// With respect to the variances of the column windows, N×D, where wanted.
    pub col_windows: Option<PointsMut<'a>>,
}

impl WindowedGradients<'_> {
    /// The same gradients for a part of the parameters.
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

/// A kernel seen through Gaussian windows.
pub trait Windowed: Sync {
    /// Fills `out` (M×N) with `cov(g(rows_i), g(cols_j))`.
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
