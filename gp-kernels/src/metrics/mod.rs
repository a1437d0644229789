//! How far apart two points are, summed over dimensions: `s = Σ_d f_d(x_d − z_d)`.
//!
//! A metric owns the parameters that measure distance (length-scales, periods); what is then made of the distance
//! is a [`Profile`](crate::Profile).

mod direct;
mod euclid;
mod mismatch;
mod packed;
mod phase;
mod product;
mod pull_back;
mod scaled;
mod sine;

pub use euclid::Euclid;
pub use mismatch::Mismatch;
pub use phase::Phase;
pub use sine::Sine;

use std::ops::Range;

use gp_optim::Parameter;

use crate::expression::ParameterKind;
use crate::kernel::{BlockMut, Gradients, Pair, TileShape};
use crate::workspace::Workspace;

pub use direct::{sum_direct, sum_direct_reverse};

/// A sum over dimensions of a function of the coordinate difference.
///
/// Differences are formed first and scaled afterwards, so two points that differ by 1e-8 at an offset of 1e6 are as
/// far apart as their numbers say.
pub trait Metric: Clone + std::fmt::Debug + Default + Send + Sync + 'static {
    /// The parameters (at most two) with default values, and which of them may be one per input, or are lengths along them.
    fn parameters() -> Vec<(Parameter, ParameterKind)>;

    /// What the loops over points need to know of the parameters, for dimension `d`.
    fn constants(params: &[Parameter], d: usize) -> Constants;

    /// Adds `f_d(rows[i] − col)` to `sum[i]`, for one dimension and one column point.
    ///
    /// Runs in the innermost loop: it should be `#[inline(always)]` and free of branches and calls.
    fn add_term(constants: Constants, rows: &[f64], col: f64, sum: &mut [f64]);

    /// The reverse of [`add_term`](Metric::add_term): `upstream[i]` is the derivative with respect to `sum[i]`.
    /// Adds to `rows_grad[i]` the derivatives with respect to `rows[i]` and returns the others.
    fn reverse_term(
        constants: Constants,
        term: Term<'_>,
        upstream: &[f64],
        rows_grad: &mut [f64],
    ) -> TermGradient;

    /// How many numbers [`sums`](Metric::sums) records of a tile for [`sums_reverse`](Metric::sums_reverse): the sums.
    fn record_len(shape: TileShape) -> usize {
        shape.rows * shape.cols
    }

    /// Fills `out` with the sums of a pair of tables, and hands each finished piece of a column to `finish` while it
    /// is in the cache: the column, the rows, and their sums. `record` is as in [`Kernel::tile`](crate::Kernel::tile).
    fn sums(
        params: &[Parameter],
        pair: Pair<'_>,
        out: BlockMut<'_>,
        record: &mut [f64],
        ws: &mut Workspace,
        finish: impl FnMut(usize, Range<usize>, &mut [f64]),
    ) {
        sum_direct::<Self>(params, pair, out, record, ws, finish);
    }

    /// The reverse of [`sums`](Metric::sums): computes the sums, or takes them from the record, lets `slopes` replace
    /// each piece by the derivatives with respect to it, and adds the gradients of the parameters and points.
    fn sums_reverse(
        params: &[Parameter],
        pair: Pair<'_>,
        grads: Gradients<'_>,
        record: &[f64],
        ws: &mut Workspace,
        slopes: impl FnMut(usize, Range<usize>, &mut [f64]),
    ) {
        sum_direct_reverse::<Self>(params, pair, grads, record, ws, slopes);
    }
}

/// Up to two numbers that a metric derives from its parameters once per dimension.
pub type Constants = [f64; 2];

/// One dimension of a tile: the coordinates of the row points, and that of one column point.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// Coordinate d of the row points.
    pub rows: &'a [f64],
    /// Coordinate d of the column point.
    pub col: f64,
}

/// Derivatives of one dimension's term, summed over the row points.
#[derive(Clone, Copy, Debug, Default)]
pub struct TermGradient {
    /// With respect to the coordinate of the column point.
    pub col: f64,
    /// With respect to the value of each parameter for this dimension.
    pub params: [f64; 2],
}

/// The value of a parameter for dimension `d`: its only value when shared, its d-th when there is one per input.
#[inline(always)]
pub fn per_input(parameter: &Parameter, d: usize) -> f64 {
    let values = parameter.values();
    if values.len() == 1 { values[0] } else { values[d] }
}

/// Where the gradient of that value goes, within the parameter's own range.
#[inline(always)]
pub fn slot(parameter: &Parameter, d: usize) -> usize {
    if parameter.len() == 1 { 0 } else { d }
}

/// Adds the derivatives with respect to the parameters' values for dimension `d` to where they belong.
fn add_param_gradient(params: &[Parameter], d: usize, by: [f64; 2], grad: &mut [f64]) {
    let mut start = 0;
    for (parameter, by) in params.iter().zip(by) {
        grad[start + slot(parameter, d)] += by;
        start += parameter.len();
    }
}
