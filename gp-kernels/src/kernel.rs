//! The [`Kernel`] trait: covariances tile by tile.
//!
//! A kernel fills or differentiates one tile of a few hundred points per side, on one thread, in given memory.
//! [`Evaluator`](crate::Evaluator) does tiling, checks, threading and symmetry.

use faer::prelude::ReborrowMut;
use std::fmt::Debug;

use gp_optim::Parameter;

use crate::error::KernelError;
use crate::expression::form::{Form, KernelSetting};
use crate::inducing::Windowed;
pub use crate::tables::{Block, BlockMut, Points, PointsMut, column, column_mut, point, point_mut};
use crate::workspace::Workspace;

/// Row and column points of a tile.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Row points of a tile, M×D.
    pub rows: Points<'a>,
    /// Column points of a tile, N×D.
    pub cols: Points<'a>,
    /// `true` if row k and column k are the same point for every k < min(M, N). Equal coordinates are not
    /// enough: white noise is independent for two observations at one place.
    pub same: bool,
}

impl<'a> Pair<'a> {
    /// Pair of tables without common points.
    pub fn distinct(rows: Points<'a>, cols: Points<'a>) -> Self {
        Self { rows, cols, same: false }
    }

    /// Number of input dimensions D.
    pub fn dim(&self) -> usize {
        self.rows.ncols()
    }

    /// Sizes of the tile.
    pub fn shape(&self) -> TileShape {
        TileShape { rows: self.rows.nrows(), cols: self.cols.nrows(), dim: self.dim(), same: self.same }
    }
}

/// Sizes of a tile, which determine its record length.
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

/// Accumulators of a reverse pass; kernels add to them.
#[derive(Debug)]
pub struct Gradients<'a> {
    /// Parameter gradient in natural units, ordered as
    /// [`KernelExt::for_each_parameter`](crate::KernelExt::for_each_parameter).
    pub params: &'a mut [f64],
    /// Row-point gradient, M×D, if wanted.
    pub rows: Option<PointsMut<'a>>,
    /// Column-point gradient, N×D, if wanted.
    pub cols: Option<PointsMut<'a>>,
}

impl Gradients<'_> {
    /// Accumulators of a child with parameters `range`.
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
/// [`Evaluator`](crate::Evaluator) guarantees finite coordinates, equal column counts, a passed
/// [`check_inputs`](Kernel::check_inputs), and tiles that match their [`Pair`]. No parameter values within
/// their domains may cause a panic.
///
/// Most kernels are shorter as [`Profile`](crate::Profile) of a [`Metric`](crate::metrics::Metric) (see
/// [`Radial`](crate::Radial)) or as [`DotProfile`](crate::dot::DotProfile) (see
/// [`DotProduct`](crate::dot::DotProduct)), which also vectorise derivatives.
pub trait Kernel: CloneKernel + Debug + Send + Sync {
    /// Name in expressions, such as `rbf`.
    fn name(&self) -> &str;

    /// Own parameters, without those of children.
    fn parameters(&self) -> &[Parameter];

    /// Own parameters, mutable.
    fn parameters_mut(&mut self) -> &mut [Parameter];

    /// `true` if this own parameter is a length along inputs (length-scale, period): scaling inputs and all
    /// lengths by the same factor leaves covariances unchanged.
    fn is_length(&self, _parameter: usize) -> bool {
        false
    }

    /// Untrained arguments in expressions, such as `degree=3`.
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

    /// Checks the number of columns and the range of category codes.
    ///
    /// # Errors
    /// [`KernelError`] with kernel, place and value.
    fn check_inputs(&self, points: Points<'_>, ws: &mut Workspace) -> Result<(), KernelError>;

    /// Record length of [`tile`](Kernel::tile).
    fn record_len(&self, _shape: TileShape) -> usize {
        0
    }

    /// Writes the covariances of a pair to `out` (M×N).
    ///
    /// `record` is empty or has [`record_len`](Kernel::record_len) entries of arbitrary contents, for values
    /// that the reverse pass would compute again.
    fn tile(&self, pair: Pair<'_>, out: BlockMut<'_>, record: &mut [f64], ws: &mut Workspace);

    /// Adds the gradients of `Σ upstream ∘ tile` and returns this sum, the gradient of a scale factor above.
    ///
    /// `record` is empty or was filled by [`tile`](Kernel::tile) for the same pair and parameters; results
    /// must have the same bits either way.
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

    /// Adds the gradients of `Σ upstream · diagonal`; point gradients go to `grads.rows`.
    fn diagonal_reverse(
        &self,
        points: Points<'_>,
        upstream: &[f64],
        grads: Gradients<'_>,
        ws: &mut Workspace,
    );

    /// Closed forms with Gaussian windows (inter-domain features), if any.
    fn windowed(&self) -> Option<&dyn Windowed> {
        None
    }
}

/// Boxed cloning, for every `Clone` kernel.
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

/// Splits a child's `len` entries off the front of a record; empty if the record is.
pub fn split_record<'r>(rest: &mut &'r [f64], len: usize) -> &'r [f64] {
    rest.split_off(..len.min(rest.len())).unwrap_or_default()
}

/// [`split_record`] for a mutable record.
pub fn split_record_mut<'r>(rest: &mut &'r mut [f64], len: usize) -> &'r mut [f64] {
    rest.split_off_mut(..len.min(rest.len())).unwrap_or_default()
}
