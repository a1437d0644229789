//! Distances summed over dimensions, `s = Σ_d f_d(x_d − z_d)`, with length-scales and periods. A
//! [`Profile`](crate::Profile) converts them into covariances.

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

/// Sum over dimensions of functions of the coordinate difference.
///
/// Implementations subtract first, then scale: points 1e-8 apart at an offset of 1e6 keep their distance.
pub trait Metric: Clone + std::fmt::Debug + Default + Send + Sync + 'static {
    /// Parameters (at most two) with default values and kinds.
    fn parameters() -> Vec<(Parameter, ParameterKind)>;

    /// Constants of dimension `d`, derived from the parameters.
    fn constants(params: &[Parameter], d: usize) -> Constants;

    /// Adds `f_d(rows[i] − col)` to `sum[i]` for one dimension and one column point.
    ///
    /// Innermost loop: `#[inline(always)]`, no branches, no calls.
    fn add_term(constants: Constants, rows: &[f64], col: f64, sum: &mut [f64]);

    /// Reverse of [`add_term`](Metric::add_term): adds derivatives of `rows[i]` to `rows_grad[i]`, returns
    /// the others. `upstream[i]` is the derivative with respect to `sum[i]`.
    fn reverse_term(
        constants: Constants,
        term: Term<'_>,
        upstream: &[f64],
        rows_grad: &mut [f64],
    ) -> TermGradient;

    /// Record length of [`sums`](Metric::sums).
    fn record_len(shape: TileShape) -> usize {
        shape.rows * shape.cols
    }

    /// Writes the distances of a pair to `out`; calls `finish` with each piece (column, rows, distances)
    /// while it is in cache. `record` as in [`Kernel::tile`](crate::Kernel::tile).
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

    /// Reverse of [`sums`](Metric::sums): computes or reads distances, lets `slopes` replace each piece by
    /// derivatives, adds parameter and point gradients.
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

/// Up to two numbers per dimension, from the parameters.
pub type Constants = [f64; 2];

/// One dimension of a column of a tile.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// Coordinate d of the row points.
    pub rows: &'a [f64],
    /// Coordinate d of the column point.
    pub col: f64,
}

/// Derivatives of one dimension's term, summed over rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct TermGradient {
    /// Derivative with respect to the column point's coordinate.
    pub col: f64,
    /// Derivatives with respect to each parameter's value for this dimension.
    pub params: [f64; 2],
}

/// Parameter value for dimension `d`, shared or per input.
#[inline(always)]
pub fn per_input(parameter: &Parameter, d: usize) -> f64 {
    let values = parameter.values();
    if values.len() == 1 { values[0] } else { values[d] }
}

/// Gradient entry of dimension `d`.
#[inline(always)]
pub fn slot(parameter: &Parameter, d: usize) -> usize {
    if parameter.len() == 1 { 0 } else { d }
}

fn add_param_gradient(params: &[Parameter], d: usize, by: [f64; 2], grad: &mut [f64]) {
    let mut start = 0;
    for (parameter, by) in params.iter().zip(by) {
        grad[start + slot(parameter, d)] += by;
        start += parameter.len();
    }
}
