//! Nodes and weights in several dimensions.

use crate::error::{LikelihoodError, check_count};

/// The largest number of nodes of a rule: beyond it another rule is cheaper.
pub(super) const MAX_NODES: usize = 1 << 20;

/// Nodes and weights for expectations of functions of Q independent standard normal numbers:
/// `E[g(t)] ≈ Σ w_i g(t_i)`, with weights that sum to 1.
///
/// Every rule of this crate is such a table, computed once; which one to take is a question of the number of
/// dimensions. [`product`](Self::product) is right to many digits in two or three,
/// [`quasi_random`](Self::quasi_random) has an error that hardly depends on Q, and
/// [`symmetric`](Self::symmetric) is exact for polynomials of degree 5 at 2Q² + 1 nodes, at the price of negative
/// weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Cubature {
    dimensions: usize,
    /// Node after node, each of Q numbers.
    nodes: Vec<f64>,
    weights: Vec<f64>,
}

impl Cubature {
    pub(super) fn of(dimensions: usize, nodes: Vec<f64>, weights: Vec<f64>) -> Self {
        debug_assert_eq!(nodes.len(), dimensions * weights.len(), "one weight a node");
        Self { dimensions, nodes, weights }
    }

    /// The number Q of dimensions.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The weights, one a node.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The nodes with their weights.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.nodes.chunks_exact(self.dimensions).zip(self.weights.iter().copied())
    }

    /// `E[g(t)]` for a vector t of independent standard normal numbers.
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

/// At least one dimension, and a number of nodes that is known and not too large.
pub(super) fn check_size(dimensions: usize, nodes: Option<usize>) -> Result<(), LikelihoodError> {
    let small = dimensions > 0 && nodes.is_some_and(|nodes| nodes <= MAX_NODES);
    check_count("dimensions", dimensions, small, "at least 1, and few enough for 2^20 nodes in all")
}
