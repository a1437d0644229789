//! The [`Kernel`] trait: what a covariance function has to say, one tile at a time.
//!
//! A kernel is written against tiles: it fills (or differentiates) the covariance between a few hundred points and
//! a few hundred others, on one thread, into memory it is handed. Cutting a large problem into tiles, checking
//! shapes and numbers, threads and symmetry are the business of [`Evaluator`](crate::Evaluator), once for all kernels.

use faer::prelude::ReborrowMut;
use std::fmt::Debug;

use gp_optim::Parameter;

use crate::error::KernelError;
use crate::expression::form::{Form, Setting};
use crate::inducing::Windowed;
pub use crate::tables::{Block, BlockMut, Points, PointsMut, column, column_mut, point, point_mut};
use crate::workspace::Workspace;

/// Two tables of points, and whether they are the same points.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The points that index the rows of a tile, M×D.
    pub rows: Points<'a>,
    /// The points that index the columns of a tile, N×D.
    pub cols: Points<'a>,
    /// Row k and column k are one and the same point, for every k < min(M, N).
    ///
    /// Equal coordinates do not say so: two observations at one place share everything but the white noise.
    pub same: bool,
}

impl<'a> Pair<'a> {
    /// Two tables of different points.
    pub fn distinct(rows: Points<'a>, cols: Points<'a>) -> Self {
        Self { rows, cols, same: false }
    }

    /// The number of input dimensions D.
    pub fn dim(&self) -> usize {
        self.rows.ncols()
    }

    /// The sizes of its tile.
    pub fn shape(&self) -> TileShape {
        TileShape { rows: self.rows.nrows(), cols: self.cols.nrows(), dim: self.dim(), same: self.same }
    }
}

/// The sizes of a tile: all that decides how much of it is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// M
    pub rows: usize,
    /// N
    pub cols: usize,
    /// D
    pub dim: usize,
    /// As [`Pair::same`].
    pub same: bool,
}

/// Where a reverse pass adds its gradients. Everything is accumulated, nothing is overwritten.
#[derive(Debug)]
pub struct Gradients<'a> {
    /// One number per parameter of the kernel, in natural units, in the order of the tree walk
    /// ([`KernelExt::for_each_parameter`](crate::KernelExt::for_each_parameter)).
    pub params: &'a mut [f64],
    /// Gradient with respect to the row points, M×D, where wanted.
    pub rows: Option<PointsMut<'a>>,
    /// Gradient with respect to the column points, N×D, where wanted.
    pub cols: Option<PointsMut<'a>>,
}

impl Gradients<'_> {
    /// The same gradients for a part of the parameters, as a node hands them to a child.
    pub fn for_params(&mut self, range: std::ops::Range<usize>) -> Gradients<'_> {
        Gradients {
            params: &mut self.params[range],
            rows: self.rows.as_mut().map(|rows| rows.rb_mut()),
            cols: self.cols.as_mut().map(|cols| cols.rb_mut()),
        }
    }
}

/// A covariance function.
///
/// Implementations may assume what [`Evaluator`](crate::Evaluator) has checked: all numbers are finite, both tables
/// have the same number of columns, [`check_inputs`](Kernel::check_inputs) said yes to both, and tiles have the
/// shape of their [`Pair`]. They must not panic for any parameters within their domains.
///
/// Most kernels need not implement this trait: a [`Profile`](crate::Profile) on a
/// [`Metric`](crate::metrics::Metric) through [`Radial`](crate::Radial), or a
/// [`DotProfile`](crate::dot::DotProfile) through [`DotProduct`](crate::dot::DotProduct), is shorter and comes with
/// its derivatives blocked and vectorised.
pub trait Kernel: CloneKernel + Debug + Send + Sync {
    /// The name in expressions, such as `rbf`.
    fn name(&self) -> &str;

    /// The node's own parameters, without those of its children.
    fn parameters(&self) -> &[Parameter];

    /// The node's own parameters, to be changed.
    fn parameters_mut(&mut self) -> &mut [Parameter];

    /// Whether one of the node's own parameters, by its place, is a length along the inputs, as length-scales and periods
    /// are: the covariances stay as they are where inputs and all such parameters are multiplied by one number. By
    /// default none is.
    fn is_length(&self, _parameter: usize) -> bool {
        false
    }

    /// Arguments that are not trained, such as `degree=3`, as an expression shows them.
    fn settings(&self) -> Vec<Setting> {
        Vec::new()
    }

    /// How the kernel is written; everything but the algebra is a call.
    fn form(&self) -> Form {
        Form::Call
    }

    /// The kernels this one is made of.
    fn children(&self) -> &[Box<dyn Kernel>] {
        &[]
    }

    /// The kernels this one is made of, to be changed.
    fn children_mut(&mut self) -> &mut [Box<dyn Kernel>] {
        &mut []
    }

    /// Whether points of this table can be inputs: the right number of columns, category codes in range.
    ///
    /// # Errors
    /// A [`KernelError`] that names the kernel, the place and the value.
    fn check_inputs(&self, points: Points<'_>, ws: &mut Workspace) -> Result<(), KernelError>;

    /// How many numbers [`tile`](Kernel::tile) records of a tile of this shape; by default none.
    fn record_len(&self, _shape: TileShape) -> usize {
        0
    }

    /// Fills `out` (M×N) with the covariances of a pair of tables.
    ///
    /// `record` is empty, or has room for [`record_len`](Kernel::record_len) numbers (whatever is in it): what the
    /// reverse pass would otherwise compute again. A kernel that records nothing ignores it.
    fn tile(&self, pair: Pair<'_>, out: BlockMut<'_>, record: &mut [f64], ws: &mut Workspace);

    /// Adds the gradients of `Σ upstream ∘ tile` and returns that sum itself, which comes for free here and saves
    /// a scale factor above this node from evaluating the kernel a second time.
    ///
    /// `record` is empty, or what [`tile`](Kernel::tile) has written for this pair under these parameters. Either way
    /// the results have the same bits.
    fn tile_reverse(
        &self,
        pair: Pair<'_>,
        upstream: Block<'_>,
        grads: Gradients<'_>,
        record: &[f64],
        ws: &mut Workspace,
    ) -> f64;

    /// Fills `out` (N) with the prior variances `k(x, x)`.
    fn diagonal(&self, points: Points<'_>, out: &mut [f64], ws: &mut Workspace);

    /// Adds the gradients of `Σ upstream · diagonal`; those of the points go to `grads.rows`.
    fn diagonal_reverse(
        &self,
        points: Points<'_>,
        upstream: &[f64],
        grads: Gradients<'_>,
        ws: &mut Workspace,
    );

    /// The kernel seen through a Gaussian window, for those that have it in closed form (inter-domain features).
    fn windowed(&self) -> Option<&dyn Windowed> {
        None
    }
}

/// Cloning behind a box; every `Clone` kernel has it.
pub trait CloneKernel {
    /// A copy in a box of its own.
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

/// Cuts a child's part, the next `len` numbers, off the record of a node; of an empty record it is empty.
pub fn split_record<'r>(rest: &mut &'r [f64], len: usize) -> &'r [f64] {
    rest.split_off(..len.min(rest.len())).unwrap_or_default()
}

/// [`split_record`] for a record that is being written.
pub fn split_record_mut<'r>(rest: &mut &'r mut [f64], len: usize) -> &'r mut [f64] {
    rest.split_off_mut(..len.min(rest.len())).unwrap_or_default()
}
