//! Gauss–Legendre panels in x for beliefs of any width, as wide as the narrowest undecided class allows.
//!
//! `H_k` is a Gumbel distribution function (analytic and bounded for `|Im x| < π/2`) convolved with a Gaussian of
//! variance v_k, hence entire. At `x + ib` a product of them grows by at most `exp(½ b² Σ 1/(v_k + c))`, like a
//! Gaussian of that precision. Above a class's range its H is 1 and limits no panel.

use super::{ABOVE, REACH};
use crate::latent::Latent;
use crate::quadrature::GaussLegendre;

/// Variance c with as narrow panels as a Gumbel variable: 16 nodes over a width of 2.
const GUMBEL: f64 = 0.2;
/// Panel width in units of `1/√precision`: 16 nodes integrate a Gaussian over 4.5 standard deviations to
/// 1e-15.
const PANEL: f64 = 4.5;
/// Each distinct scale needs some twenty panels of 16.
const MAX_NODES: usize = 1 << 16;

/// `false` for too many nodes or a non-finite end.
pub(super) fn lay(q: &[Latent], (low, high): (f64, f64), nodes: &mut Vec<(f64, f64)>) -> bool {
    nodes.clear();
    if !(high - low).is_finite() {
        return false;
    }
    let end = |latent: &Latent| latent.mean() + REACH * latent.variance().sqrt() + ABOVE;
    let mut from = low;
    while from < high {
        let open = || q.iter().filter(|latent| end(latent) > from);
        let precision: f64 = open().map(|latent| 1.0 / (latent.variance() + GUMBEL)).sum();
        let next = open().map(end).fold(high, f64::min);
        let to = next.min(from + PANEL / precision.sqrt());
        // Also stops where rounding of x is wider than a panel.
        if to <= from || nodes.len() >= MAX_NODES {
            return false;
        }
        nodes.extend(GaussLegendre::shared().nodes_between(from, to));
        from = to;
    }
    !nodes.is_empty()
}
