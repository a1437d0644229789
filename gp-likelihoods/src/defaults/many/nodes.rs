//! Latents at the nodes of a rule.

use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::quadrature::Cubature;

/// Skipped nodes are below rounding.
const NO_WEIGHT: f64 = 1e-20;

#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    latents: usize,
    f: Vec<f64>,
    weights: Vec<f64>,
}

impl Nodes {
    pub(super) fn place(&mut self, rule: &Cubature, q: &[Latent]) {
        self.latents = q.len();
        self.f.clear();
        self.weights.clear();
        for (t, weight) in rule.iter().filter(|(_, weight)| weight.abs() > NO_WEIGHT) {
            self.f.extend(q.iter().zip(t).map(|(q, t)| q.mean() + q.variance().sqrt() * t));
            self.weights.push(weight);
        }
    }

    pub(super) fn sum(
        &self,
        value: impl Fn(&[f64]) -> Result<f64, LikelihoodError>,
    ) -> Result<f64, LikelihoodError> {
        let nodes = self.f.chunks_exact(self.latents).zip(&self.weights);
        nodes.map(|(f, weight)| Ok(weight * value(f)?)).sum()
    }
}
