//! Distances `s = Σ_d f_d(x_d − z_d)`, which a [`Profile`](crate::Profile) converts into covariances.

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

/// Sum over dimensions of functions of differences.
///
/// Implementations subtract before scaling, for accuracy at offsets.
pub trait Metric: Clone + std::fmt::Debug + Default + Send + Sync + 'static {
    /// At most two parameters, with defaults.
    fn parameters() -> Vec<(Parameter, ParameterKind)>;

    /// Constants of dimension `d`.
    fn constants(params: &[Parameter], d: usize) -> Constants;

    /// Adds `f_d(rows[i] − col)` to `sum[i]`.
    ///
    /// Innermost loop: `#[inline(always)]`, no branches, no calls.
    fn add_term(constants: Constants, rows: &[f64], col: f64, sum: &mut [f64]);

    /// Reverse of [`add_term`](Metric::add_term): adds to `rows_grad[i]`, returns the rest. `upstream[i]`
    /// belongs to `sum[i]`.
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

    /// Writes distances to `out`; calls `finish(column, rows, distances)` per piece. `record` as in
    /// [`Kernel::tile`](crate::Kernel::tile).
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

    /// Reverse of [`sums`](Metric::sums); `slopes` turns distances into derivatives.
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

/// Up to two numbers per dimension.
pub type Constants = [f64; 2];

/// One dimension of a tile column.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// Row points' coordinate d.
    pub rows: &'a [f64],
    /// Column point's coordinate d.
    pub col: f64,
}

/// Derivatives, summed over rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct TermGradient {
    /// Derivative by the column coordinate.
    pub col: f64,
    /// Derivatives by each parameter.
    pub params: [f64; 2],
}

/// Value of dimension `d`.
#[inline(always)]
pub fn per_input(parameter: &Parameter, d: usize) -> f64 {
    let values = parameter.values();
    if values.len() == 1 { values[0] } else { values[d] }
}

/// Gradient index of dimension `d`.
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
