//! Covariances by tile.
//!
//! A kernel fills one tile of a few hundred points per side, on one thread, in given memory.
//! [`Evaluator`](crate::Evaluator) checks tables, divides them into tiles and runs threads.

use faer::prelude::ReborrowMut;
use std::fmt::Debug;

use gp_optim::Parameter;

use crate::error::KernelError;
use crate::expression::form::{Form, KernelSetting};
use crate::inducing::Windowed;
pub use crate::tables::{Block, BlockMut, Points, PointsMut, column, column_mut, point, point_mut};
use crate::workspace::Workspace;

/// Points of a tile.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Row points, M×D.
    pub rows: Points<'a>,
    /// Column points, N×D.
    pub cols: Points<'a>,
    /// `true` if row and column k are one point, k < min(M, N). Equal coordinates may be different points.
    pub same: bool,
}

impl<'a> Pair<'a> {
    /// Tables without common points.
    pub fn distinct(rows: Points<'a>, cols: Points<'a>) -> Self {
        Self { rows, cols, same: false }
    }

    /// Input dimensions D.
    pub fn dim(&self) -> usize {
        self.rows.ncols()
    }

    /// Tile sizes.
    pub fn shape(&self) -> TileShape {
        TileShape { rows: self.rows.nrows(), cols: self.cols.nrows(), dim: self.dim(), same: self.same }
    }
}

/// Tile sizes, which determine record lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// M
    pub rows: usize,
    /// N
    pub cols: usize,
    /// D
    pub dim: usize,
    /// See [`Pair::same`].
    pub same: bool,
}

/// Accumulators of a reverse pass.
#[derive(Debug)]
pub struct Gradients<'a> {
    /// Parameter gradient in natural units, [`for_each_parameter`](crate::KernelExt::for_each_parameter) order.
    pub params: &'a mut [f64],
    /// Row-point gradient, M×D.
    pub rows: Option<PointsMut<'a>>,
    /// Column-point gradient, N×D.
    pub cols: Option<PointsMut<'a>>,
}

impl Gradients<'_> {
    /// Part for parameters `range`.
    pub fn for_params(&mut self, range: std::ops::Range<usize>) -> Gradients<'_> {
        Gradients {
            params: &mut self.params[range],
            rows: self.rows.as_mut().map(|rows| rows.rb_mut()),
            cols: self.cols.as_mut().map(|cols| cols.rb_mut()),
        }
    }
}

/// Covariance function.
///
/// [`Evaluator`](crate::Evaluator) guarantees finite coordinates, matching shapes, passed
/// [`check_inputs`](Kernel::check_inputs). Valid parameters must not cause panics.
///
/// Most kernels are shorter as [`Profile`](crate::Profile) of [`Radial`](crate::Radial) or
/// [`DotProfile`](crate::dot::DotProfile) of [`DotProduct`](crate::dot::DotProduct).
pub trait Kernel: CloneKernel + Debug + Send + Sync {
    /// Name in expressions.
    fn name(&self) -> &str;

    /// Own parameters, without children's.
    fn parameters(&self) -> &[Parameter];

    /// Own parameters, mutable.
    fn parameters_mut(&mut self) -> &mut [Parameter];

    /// `true` for parameters in input units (length-scale, period).
    fn is_length(&self, _parameter: usize) -> bool {
        false
    }

    /// Untrained arguments, such as `degree=3`.
    fn settings(&self) -> Vec<KernelSetting> {
        Vec::new()
    }

    /// Form in expressions: a call, except in [`algebra`](crate::algebra).
    fn form(&self) -> Form {
        Form::Call
    }

    /// Child kernels.
    fn children(&self) -> &[Box<dyn Kernel>] {
        &[]
    }

    /// Child kernels, mutable.
    fn children_mut(&mut self) -> &mut [Box<dyn Kernel>] {
        &mut []
    }

    /// Checks column count and category codes.
    ///
    /// # Errors
    /// [`KernelError`].
    fn check_inputs(&self, points: Points<'_>, ws: &mut Workspace) -> Result<(), KernelError>;

    /// Record length of [`tile`](Kernel::tile).
    fn record_len(&self, _shape: TileShape) -> usize {
        0
    }

    /// Writes covariances (M×N) to `out`.
    ///
    /// `record` is empty or [`record_len`](Kernel::record_len) arbitrary numbers, to fill for the reverse pass.
    fn tile(&self, pair: Pair<'_>, out: BlockMut<'_>, record: &mut [f64], ws: &mut Workspace);

    /// Adds gradients of `Σ upstream ∘ tile`; returns this sum.
    ///
    /// `record` is empty or from [`tile`](Kernel::tile); bits must not depend on it.
    fn tile_reverse(
        &self,
        pair: Pair<'_>,
        upstream: Block<'_>,
        grads: Gradients<'_>,
        record: &[f64],
        ws: &mut Workspace,
    ) -> f64;

    /// Writes prior variances `k(x, x)` to `out` (N).
    fn diagonal(&self, points: Points<'_>, out: &mut [f64], ws: &mut Workspace);

    /// Adds gradients of `Σ upstream · diagonal`, of points to `grads.rows`.
    fn diagonal_reverse(
        &self,
        points: Points<'_>,
        upstream: &[f64],
        grads: Gradients<'_>,
        ws: &mut Workspace,
    );

    /// Closed forms with Gaussian windows (inter-domain).
    fn windowed(&self) -> Option<&dyn Windowed> {
        None
    }
}

/// Boxed copies of `Clone` kernels.
pub trait CloneKernel {
    /// Boxed copy.
    fn clone_box(&self) -> Box<dyn Kernel>;
}

impl<K: Kernel + Clone + 'static> CloneKernel for K {
    fn clone_box(&self) -> Box<dyn Kernel> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Kernel> {
    fn clone(&self) -> Self {
        (**self).clone_box()
    }
}

/// Splits off up to `len` front entries.
pub fn split_record<'r>(rest: &mut &'r [f64], len: usize) -> &'r [f64] {
    rest.split_off(..len.min(rest.len())).unwrap_or_default()
}

/// Mutable [`split_record`].
pub fn split_record_mut<'r>(rest: &mut &'r mut [f64], len: usize) -> &'r mut [f64] {
    rest.split_off_mut(..len.min(rest.len())).unwrap_or_default()
}
