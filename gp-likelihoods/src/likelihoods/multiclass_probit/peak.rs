//! Integrand of the density along one number.

use std::sync::OnceLock;

use crate::quadrature::GaussHermite;
use crate::special::{inverse_mills, inverse_mills_excess, log_normal_cdf};

/// Nodes at the mode: the density is accurate to 1e-13.
const NODES: usize = 36;
/// Most Newton steps to the mode of a concave, nearly quadratic function.
const MAX_STEPS: u32 = 60;

/// Place and width of the integrand over u.
pub(super) struct Peak {
    u: f64,
    width: f64,
    pub(super) height: f64,
}

impl Peak {
    /// Mode of `−½ (u − own)² + Σ ln Φ(u − other)`.
    pub(super) fn find<I: Iterator<Item = f64>>(own: f64, others: impl Fn() -> I) -> Self {
        // From above every bend Newton's method on the concave integrand needs no safeguard but its own length.
        let mut u = others().fold(own, f64::max);
        let mut curvature = 1.0;
        for _ in 0..MAX_STEPS {
            let (mut slope, mut bend) = (own - u, 1.0);
            for other in others() {
                let ratio = inverse_mills(u - other);
                slope += ratio;
                bend += ratio * inverse_mills_excess(u - other);
            }
            u += slope / bend;
            curvature = bend;
            if slope.abs() <= 1e-9 * bend {
                break;
            }
        }
        let height = others().map(|other| log_normal_cdf(u - other)).sum::<f64>() - 0.5 * (u - own).powi(2);
        Self { u, width: 1.0 / curvature.sqrt(), height }
    }

    /// Nodes in u with log weights of the integral.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (f64, f64)> {
        static RULE: OnceLock<GaussHermite> = OnceLock::new();
        let rule = RULE.get_or_init(|| GaussHermite::of_order(NODES));
        let log_width = self.width.ln();
        let log_measure = move |(t, log_weight): (&f64, &f64)| log_weight + 0.5 * t * t + log_width;
        let nodes = rule.nodes().iter().zip(rule.log_weights());
        nodes.map(move |node| (self.u + self.width * node.0, log_measure(node)))
    }
}
