//! Integrand over the winner's value u.

use std::sync::OnceLock;

use crate::quadrature::{GaussHermite, LANES};
use crate::special::log_normal_cdf_slopes;
use std::f64::consts::TAU;

/// Error of the density: 1e-13.
const NODES: usize = 36;
/// Standard deviations to outer mass ε = 1e-13; `ln(1/ε)`.
const REACH: f64 = 7.4;
const LOG_ERROR: f64 = 30.0;
/// Mode precision in widths.
const NEAR: f64 = 0.1;
const NEAREST: f64 = 1e-9;
const MAX_STEPS: u32 = 60;

pub(super) struct Peak {
    u: f64,
    width: f64,
    pub(super) height: f64,
}

impl Peak {
    /// Mode of `−½ (u − own)² + Σ ln Φ(u − other)`.
    pub(super) fn find<I: Iterator<Item = f64>>(own: f64, others: impl Fn() -> I) -> Self {
        Self::within(NEAREST, own, others)
    }

    /// Less precise peak, for a [`grid`](Self::grid).
    pub(super) fn near<I: Iterator<Item = f64>>(own: f64, others: impl Fn() -> I) -> Self {
        Self::within(NEAR, own, others)
    }

    fn within<I: Iterator<Item = f64>>(precision: f64, own: f64, others: impl Fn() -> I) -> Self {
        // Right of all bends, Newton's method on a concave function is safe.
        let mut u = others().fold(own, f64::max);
        let (mut curvature, mut height) = (1.0, 0.0);
        for _ in 0..MAX_STEPS {
            let (mut slope, mut bend) = (own - u, 1.0);
            height = -0.5 * (u - own).powi(2);
            for other in others() {
                let [value, ratio, excess] = log_normal_cdf_slopes(u - other);
                height += value;
                slope += ratio;
                bend += ratio * excess;
            }
            curvature = bend;
            if slope.abs() <= precision * bend.sqrt() {
                break;
            }
            u += slope / bend;
        }
        Self { u, width: 1.0 / curvature.sqrt(), height }
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = (f64, f64)> {
        static RULE: OnceLock<GaussHermite> = OnceLock::new();
        let rule = RULE.get_or_init(|| GaussHermite::of_order(NODES));
        let log_width = self.width.ln();
        let log_measure = move |(t, log_weight): (&f64, &f64)| log_weight + 0.5 * t * t + log_width;
        let nodes = rule.nodes().iter().zip(rule.log_weights());
        nodes.map(move |node| (self.u + self.width * node.0, log_measure(node)))
    }

    /// Step and node blocks for C factors of at most unit curvature; error at step h ≤ `2 exp(−2π²/(h² C))`
    /// (Trefethen and Weideman 2014). The log integrand has at least unit curvature, more on the left.
    pub(super) fn grid(&self, classes: usize) -> (f64, impl Iterator<Item = [f64; LANES]> + use<>) {
        let step = TAU / (2.0 * LOG_ERROR * classes as f64).sqrt();
        let reach = REACH + NEAR;
        let (low, length) = (self.u - reach * self.width, reach * (1.0 + self.width));
        let blocks = (length / (step * LANES as f64)).ceil() as usize;
        let node = move |index: usize| low + step * (index as f64 + 0.5);
        (step, (0..blocks).map(move |block| std::array::from_fn(|k| node(block * LANES + k))))
    }
}
