//! The [`Kernel`] trait: covariances by tiles.
//!
//! A kernel fills or differentiates tiles of a few hundred points each way, on one thread, in given memory.
//! Tiling, checks, threads and symmetry are done by [`Evaluator`](crate::Evaluator) for all kernels.

use faer::prelude::ReborrowMut;
use std::fmt::Debug;

use gp_optim::Parameter;

use crate::error::KernelError;
use crate::expression::form::{Form, KernelSetting};
use crate::inducing::Windowed;
pub use crate::tables::{Block, BlockMut, Points, PointsMut, column, column_mut, point, point_mut};
use crate::workspace::Workspace;

/// Two tables of points, the same or different ones.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Row points of a tile, M×D.
    pub rows: Points<'a>,
    /// Column points of a tile, N×D.
    pub cols: Points<'a>,
    /// `true` if row k and column k are the same point for every k < min(M, N).
    ///
    /// Equal coordinates are not enough: two observations at one place share everything but white noise.
    pub same: bool,
}

impl<'a> Pair<'a> {
    /// Tables of different points.
    pub fn distinct(rows: Points<'a>, cols: Points<'a>) -> Self {
        Self { rows, cols, same: false }
    }

    /// Number of input dimensions D.
    pub fn dim(&self) -> usize {
        self.rows.ncols()
    }

    /// Sizes of its tile.
    pub fn shape(&self) -> TileShape {
        TileShape { rows: self.rows.nrows(), cols: self.cols.nrows(), dim: self.dim(), same: self.same }
    }
}

/// Sizes of a tile, which determine its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// M
    pub rows: usize,
    /// N
    pub cols: usize,
    /// D
    pub dim: usize,
    /// Same points; see [`Pair::same`].
    pub same: bool,
}

/// Accumulators of a reverse pass; nothing is overwritten.
#[derive(Debug)]
pub struct Gradients<'a> {
    /// Gradient by parameters in natural units, in the order of the tree walk
    /// ([`KernelExt::for_each_parameter`](crate::KernelExt::for_each_parameter)).
    pub params: &'a mut [f64],
    /// Gradient by row points, M×D, if wanted.
    pub rows: Option<PointsMut<'a>>,
    /// Gradient by column points, N×D, if wanted.
    pub cols: Option<PointsMut<'a>>,
}

impl Gradients<'_> {
    /// Accumulators for a range of parameters, for a child.
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
/// [`Evaluator`](crate::Evaluator) guarantees finite numbers, equal numbers of columns, a successful
/// [`check_inputs`](Kernel::check_inputs) and tiles of the shape of their [`Pair`]. No panic for any
/// parameters within their domains.
///
/// Mostly a [`Profile`](crate::Profile) on a [`Metric`](crate::metrics::Metric) through
/// [`Radial`](crate::Radial), or a [`DotProfile`](crate::dot::DotProfile) through
/// [`DotProduct`](crate::dot::DotProduct), is shorter, with blocked and vectorised derivatives.
pub trait Kernel: CloneKernel + Debug + Send + Sync {
    /// Name in expressions, such as `rbf`.
    fn name(&self) -> &str;

    /// Own parameters, without those of children.
    fn parameters(&self) -> &[Parameter];

    /// Own parameters, mutable.
    fn parameters_mut(&mut self) -> &mut [Parameter];

    /// `true` if an own parameter, by index, is a length along inputs, such as a length-scale or period:
    /// scaling inputs and all lengths alike leaves covariances unchanged. False by default.
    fn is_length(&self, _parameter: usize) -> bool {
        false
    }

    /// Untrained arguments, such as `degree=3`, as in an expression.
    fn settings(&self) -> Vec<KernelSetting> {
        Vec::new()
    }

    /// Written form; a call except in the algebra.
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

    /// Fails unless the table's points are valid inputs: number of columns, range of category codes.
    ///
    /// # Errors
    /// [`KernelError`] with kernel, place and value.
    fn check_inputs(&self, points: Points<'_>, ws: &mut Workspace) -> Result<(), KernelError>;

    /// Numbers that [`tile`](Kernel::tile) records for this shape; 0 by default.
    fn record_len(&self, _shape: TileShape) -> usize {
        0
    }

    /// Writes the covariances of a pair of tables to `out` (M×N).
    ///
    /// `record` is empty or has room for [`record_len`](Kernel::record_len) numbers of any content, for
    /// work that the reverse pass would repeat; kernels that record nothing ignore it.
    fn tile(&self, pair: Pair<'_>, out: BlockMut<'_>, record: &mut [f64], ws: &mut Workspace);

    /// Adds the gradients of `Σ upstream ∘ tile` and returns that sum, which saves scale factors above this
    /// node a second evaluation.
    ///
    /// `record` is empty or from [`tile`](Kernel::tile) for this pair and these parameters; results have
    /// the same bits either way.
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

    /// Adds the gradients of `Σ upstream · diagonal`, by points to `grads.rows`.
    fn diagonal_reverse(
        &self,
        points: Points<'_>,
        upstream: &[f64],
        grads: Gradients<'_>,
        ws: &mut Workspace,
    );

    /// Kernel seen through a Gaussian window, if in closed form (inter-domain features).
    fn windowed(&self) -> Option<&dyn Windowed> {
        None
    }
}

/// Cloning in a box, for every `Clone` kernel.
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

/// Splits a child's `len` numbers off a record, empty if the record is.
pub fn split_record<'r>(rest: &mut &'r [f64], len: usize) -> &'r [f64] {
    rest.split_off(..len.min(rest.len())).unwrap_or_default()
}

/// [`split_record`] for a mutable record.
pub fn split_record_mut<'r>(rest: &mut &'r mut [f64], len: usize) -> &'r mut [f64] {
    rest.split_off_mut(..len.min(rest.len())).unwrap_or_default()
}
