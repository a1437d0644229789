//! Nodes in x for beliefs of any width: Gauss–Legendre panels, as wide as the narrowest class that is still
//! undecided allows.
//!
//! `H_k` is a Gumbel distribution function (analytic and bounded for `|Im x| < π/2`) convolved with a
//! Gaussian of variance v_k, which makes it entire. At `x + ib` a product of them grows by at most
//! `exp(½ b² Σ 1/(v_k + c))`, like a Gaussian of that precision. Above the range of a class its H is 1 and
//! limits no panel.

use super::{ABOVE, REACH};
use crate::latent::Latent;
use crate::quadrature::GaussLegendre;

/// Variance c of a Gaussian that needs panels as narrow as a Gumbel variable does: 16 nodes over a width
/// of 2.
const GUMBEL: f64 = 0.2;
/// Width of a panel in units of `1/√precision`: 16 nodes integrate a Gaussian over 4.5 standard deviations
/// to 1e-15.
const PANEL: f64 = 4.5;
/// Limit on nodes; each distinct scale of classes needs some twenty panels of 16.
const MAX_NODES: usize = 1 << 16;

/// Fills `nodes` with values of x and weights between two ends; `false` if there are too many, or if an end
/// is not finite.
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
