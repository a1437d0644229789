//! Gauss–Legendre panels in x for beliefs of any width.
//!
//! `H_k`, a Gumbel distribution function convolved with N(0, v_k), is entire; at `x + ib` a product grows
//! by ≤ `exp(½ b² Σ 1/(v_k + c))`, like a Gaussian of that precision. Above its range a class limits no panel (H = 1).

use super::{ABOVE, REACH};
use crate::latent::Latent;
use crate::quadrature::GaussLegendre;

/// c: 16 nodes over width 2, as for a Gumbel variable.
const GUMBEL: f64 = 0.2;
/// Panel width in `1/√precision` (error 1e-15).
const PANEL: f64 = 4.5;
/// Each different scale needs some 320 nodes.
const MAX_NODES: usize = 1 << 16;

/// `false` for too many nodes or non-finite ends.
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
        // Stops also where rounding of x exceeds a panel.
        if to <= from || nodes.len() >= MAX_NODES {
            return false;
        }
        nodes.extend(GaussLegendre::shared().nodes_between(from, to));
        from = to;
    }
    !nodes.is_empty()
}
