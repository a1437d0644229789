//! Gauss–Hermite rules of any order.

use crate::error::{LikelihoodError, check_count};

/// Covers a Gaussian in double precision.
const MAX_ORDER: usize = 512;

/// Rule for a standard normal: `E[g(t)] ≈ Σ w_i g(t_i)`, exact to degree `2n − 1`; all weights have relative accuracy.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussHermite {
    nodes: Vec<f64>,
    log_weights: Vec<f64>,
}

impl GaussHermite {
    /// Rule of this order, 1 to 512.
    ///
    /// # Errors
    /// [`LikelihoodError::Count`] for another order.
    pub fn new(order: usize) -> Result<Self, LikelihoodError> {
        check_count("order", order, (1..=MAX_ORDER).contains(&order), "from 1 to 512")?;
        Ok(Self::of_order(order))
    }

    pub(crate) fn of_order(order: usize) -> Self {
        let positive = positive_nodes(order);
        let mut nodes: Vec<f64> = positive.iter().map(|t| -t).collect();
        if order % 2 == 1 {
            nodes.push(0.0);
        }
        nodes.extend(positive.iter().rev());
        let log_weights = nodes.iter().map(|&t| log_weight(order, t)).collect();
        Self { nodes, log_weights }
    }

    /// Nodes, increasing.
    #[must_use]
    pub fn nodes(&self) -> &[f64] {
        &self.nodes
    }

    /// Logarithms of the weights, which sum to 1.
    #[must_use]
    pub fn log_weights(&self) -> &[f64] {
        &self.log_weights
    }

    /// `E[g(t)]` for a standard normal t.
    pub fn expect(&self, mut g: impl FnMut(f64) -> f64) -> f64 {
        self.nodes.iter().zip(&self.log_weights).map(|(&t, w)| w.exp() * g(t)).sum()
    }
}

/// `h_{n−1}(t)` and `h_n(t)` times `exp(−scale)`, and `scale`. Orthonormal: `h_{k+1} = (t h_k − √k h_{k−1}) / √(k+1)`.
fn orthonormal(order: usize, t: f64) -> (f64, f64, f64) {
    let (mut before, mut current, mut scale) = (0.0, 1.0, 0.0);
    for k in 0..order {
        let k = k as f64;
        (before, current) = (current, (t * current - k.sqrt() * before) / (k + 1.0).sqrt());
        if current.abs() > 1e100 {
            (before, current, scale) =
                (before * 1e-100, current * 1e-100, scale + 100.0 * std::f64::consts::LN_10);
        }
    }
    (before, current, scale)
}

/// `w = 1/(n h_{n−1}(t)²)` at a zero t of `h_n`.
fn log_weight(order: usize, t: f64) -> f64 {
    let (before, _, scale) = orthonormal(order, t);
    -(order as f64).ln() - 2.0 * (before.abs().ln() + scale)
}

/// Decreasing.
fn positive_nodes(order: usize) -> Vec<f64> {
    let mut upper = 2.0 * (order as f64).sqrt() + 1.0;
    (0..order / 2)
        .map(|index| {
            let t = newton(order, bisect(order, index, upper));
            upper = t;
            t
        })
        .collect()
}

/// Zero with `index` larger zeros.
fn bisect(order: usize, index: usize, upper: f64) -> f64 {
    let (mut low, mut high) = (0.0, upper);
    for _ in 0..26 {
        let middle = 0.5 * (low + high);
        if zeros_above(order, middle) > index { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Sign changes of the Sturm sequence `h_0(t), …, h_n(t)`.
fn zeros_above(order: usize, t: f64) -> usize {
    let (mut before, mut current, mut changes) = (0.0, 1.0, 0);
    for k in 0..order {
        let k = k as f64;
        let next = (t * current - k.sqrt() * before) / (k + 1.0).sqrt();
        changes += usize::from(next * current < 0.0 || (next == 0.0 && current != 0.0));
        (before, current) =
            if next.abs() > 1e100 { (current * 1e-100, next * 1e-100) } else { (current, next) };
    }
    changes
}

/// Newton's method with `h_n' = √n h_{n−1}`.
fn newton(order: usize, mut t: f64) -> f64 {
    for _ in 0..4 {
        let (before, current, _) = orthonormal(order, t);
        t -= current / ((order as f64).sqrt() * before);
    }
    t
}
