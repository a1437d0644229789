//! Latent values at the nodes of a rule, for sums that are asked for many times over.

use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Likelihood;
use crate::quadrature::Cubature;

/// Nodes of less weight are left out: all of them together have less than a rounding.
const NO_WEIGHT: f64 = 1e-20;

/// Latent values with their weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    latents: usize,
    /// Node after node.
    f: Vec<f64>,
    weights: Vec<f64>,
}

impl Nodes {
    /// Puts a rule where latents are believed to be.
    pub(super) fn place(&mut self, rule: &Cubature, q: &[Latent]) {
        self.latents = q.len();
        self.f.clear();
        self.weights.clear();
        for (t, weight) in rule.iter().filter(|(_, weight)| weight.abs() > NO_WEIGHT) {
            self.f.extend(q.iter().zip(t).map(|(q, t)| q.mean() + q.variance().sqrt() * t));
            self.weights.push(weight);
        }
    }

    /// `P(output ≤ y)`
    pub(super) fn cdf<L: Likelihood + ?Sized>(
        &self,
        likelihood: &L,
        output: usize,
        y: f64,
    ) -> Result<f64, LikelihoodError> {
        let nodes = self.f.chunks_exact(self.latents).zip(&self.weights);
        nodes.map(|(f, weight)| Ok(weight * likelihood.conditional_cdf(output, y, f)?)).sum()
    }
}
