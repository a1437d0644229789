//! How far apart two points are, summed over dimensions: `s = Σ_d f_d(x_d − z_d)`.
//!
//! A metric owns the parameters that measure distance (length-scales, periods); what is then made of the distance
//! is a [`Profile`](crate::profiles::Profile).

mod direct;
mod euclid;
mod mismatch;
mod packed;
mod phase;
mod product;
mod sine;

pub use euclid::Euclid;
pub use mismatch::Mismatch;
pub use phase::Phase;
pub use sine::Sine;

use gp_optim::Parameter;

use crate::expression::ParameterKind;
use crate::kernel::{BlockMut, Gradients, Pair};
use crate::workspace::Workspace;

pub use direct::{sum_direct, sum_direct_reverse};

/// A sum over dimensions of a function of the coordinate difference.
///
/// Differences are formed first and scaled afterwards, so two points that differ by 1e-8 at an offset of 1e6 are as
/// far apart as their numbers say.
pub trait Metric: Clone + std::fmt::Debug + Default + Send + Sync + 'static {
    /// The parameters with default values, and which of them may be one per input.
    fn parameters() -> Vec<(Parameter, ParameterKind)>;

    /// Adds `f_d(rows[i] − col)` to `sum[i]`, for one dimension and one column point.
    ///
    /// Runs in the innermost loop: it should be `#[inline(always)]` and free of branches and calls.
    fn add_term(&self, params: &[Parameter], d: usize, rows: &[f64], col: f64, sum: &mut [f64]);

    /// The reverse of [`add_term`](Metric::add_term): `upstream[i]` is the derivative with respect to `sum[i]`.
    ///
    /// Adds to `rows_grad[i]` the derivatives with respect to `rows[i]`, adds to `params_grad` (laid out as the
    /// values of all parameters one after the other), and returns the derivative with respect to `col`.
    fn reverse_term(
        &self,
        params: &[Parameter],
        d: usize,
        term: Term<'_>,
        upstream: &[f64],
        rows_grad: &mut [f64],
        params_grad: &mut [f64],
    ) -> f64;

    /// Fills `out` with the sums of a pair of tables.
    fn sums(&self, params: &[Parameter], pair: Pair<'_>, out: BlockMut<'_>, ws: &mut Workspace) {
        sum_direct(self, params, pair, out, ws);
    }

    /// The reverse of [`sums`](Metric::sums), for the derivatives `upstream` with respect to each sum.
    fn sums_reverse(
        &self,
        params: &[Parameter],
        pair: Pair<'_>,
        upstream: crate::kernel::Block<'_>,
        grads: Gradients<'_>,
        ws: &mut Workspace,
    ) {
        sum_direct_reverse(self, params, pair, upstream, grads, ws);
    }
}

/// One dimension of a tile: the coordinates of the row points, and that of one column point.
#[derive(Clone, Copy, Debug)]
pub struct Term<'a> {
    /// Coordinate d of every row point.
    pub rows: &'a [f64],
    /// Coordinate d of the column point.
    pub col: f64,
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
