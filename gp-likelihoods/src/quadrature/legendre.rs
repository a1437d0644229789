//! Gauss–Legendre rule for adaptive integration.

use std::f64::consts::PI;
use std::sync::OnceLock;

pub(super) const ORDER: usize = 16;

/// 16-point rule on an interval, exact to degree 31.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussLegendre {
    /// Nodes on (−1, 1).
    pub(super) nodes: [f64; ORDER],
    /// Weights, which sum to 2.
    pub(super) weights: [f64; ORDER],
}

impl GaussLegendre {
    /// Shared instance, computed once.
    pub fn shared() -> &'static Self {
        static RULE: OnceLock<GaussLegendre> = OnceLock::new();
        RULE.get_or_init(Self::compute)
    }

    /// `∫ g` from `low` to `high`.
    pub fn sum(&self, low: f64, high: f64, mut g: impl FnMut(f64) -> f64) -> f64 {
        self.nodes_between(low, high).iter().map(|&(x, w)| w * g(x)).sum()
    }

    pub(crate) fn nodes_between(&self, low: f64, high: f64) -> [(f64, f64); ORDER] {
        let (half, middle) = (0.5 * (high - low), 0.5 * (high + low));
        std::array::from_fn(|i| (middle + half * self.nodes[i], half * self.weights[i]))
    }

    fn compute() -> Self {
        let (mut nodes, mut weights) = ([0.0; ORDER], [0.0; ORDER]);
        for i in 0..ORDER {
            let mut t = -(PI * (i as f64 + 0.75) / (ORDER as f64 + 0.5)).cos();
            for _ in 0..8 {
                let (value, slope) = legendre(t);
                t -= value / slope;
            }
            let slope = legendre(t).1;
            nodes[i] = t;
            weights[i] = 2.0 / ((1.0 - t * t) * slope * slope);
        }
        Self { nodes, weights }
    }
}

fn legendre(t: f64) -> (f64, f64) {
    let (mut before, mut current) = (1.0, t);
    for k in 1..ORDER {
        let k = k as f64;
        (before, current) = (current, ((2.0 * k + 1.0) * t * current - k * before) / (k + 1.0));
    }
    (current, ORDER as f64 * (t * current - before) / (t * t - 1.0))
}
