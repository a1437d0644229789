//! Nodes and weights in several dimensions.

use crate::error::{LikelihoodError, check_count};

pub(super) const MAX_NODES: usize = 1 << 20;

/// Rule for Q independent standard normals: `E[g(t)] ≈ Σ w_i g(t_i)`, `Σ w_i = 1`.
///
/// [`product`](Self::product): many digits for Q ≤ 3. [`quasi_random`](Self::quasi_random): error hardly
/// depends on Q. [`symmetric`](Self::symmetric): exact to degree 5, some negative weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Cubature {
    dimensions: usize,
    nodes: Vec<f64>,
    weights: Vec<f64>,
}

impl Cubature {
    pub(super) fn of(dimensions: usize, nodes: Vec<f64>, weights: Vec<f64>) -> Self {
        debug_assert_eq!(nodes.len(), dimensions * weights.len(), "one weight a node");
        Self { dimensions, nodes, weights }
    }

    /// Number Q of dimensions.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Weights, one per node.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Nodes with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.nodes.chunks_exact(self.dimensions).zip(self.weights.iter().copied())
    }

    /// `E[g(t)]` for independent standard normal t.
    ///
    /// ```
    /// use gp_likelihoods::quadrature::Cubature;
    /// let rule = Cubature::product(5, 3)?;
    /// let found = rule.expect(|t| t[0].powi(4) * t[1].powi(2)); // 3 · 1
    /// assert!((found - 3.0).abs() < 1e-13);
    /// # Ok::<(), gp_likelihoods::LikelihoodError>(())
    /// ```
    pub fn expect(&self, mut g: impl FnMut(&[f64]) -> f64) -> f64 {
        self.iter().map(|(t, weight)| weight * g(t)).sum()
    }
}

pub(super) fn check_size(dimensions: usize, nodes: Option<usize>) -> Result<(), LikelihoodError> {
    let small = dimensions > 0 && nodes.is_some_and(|nodes| nodes <= MAX_NODES);
    check_count("dimensions", dimensions, small, "at least 1, and few enough for 2^20 nodes in all")
}
