//! Softmax under independent Gaussians, by Gumbel noise.
//!
//! With independent Gumbel g, `f_c + g_c` is largest with probability `exp(f_c)/Σ_k exp(f_k)`. With
//! `u = exp(f − x)`, `H_k(x) = P(f_k + g_k ≤ x) = E[exp(−u)]`, expectations are one-dimensional for any C:
//!
//! - `E[p(c | f)] = ∫ H_c′ Π_{k≠c} H_k dx`
//! - `E[ln Σ_k exp(f_k)] = r + ∫ exp(−exp(r − x)) − Π_k H_k dx` for any r, because
//!   `ln S = ∫ (exp(−s) − exp(−s S)) ds/s`, with `s = exp(r − x)`
//!
//! and `∂H/∂m = −H′`, `∂H/∂v = ½ H″`. All are analytic and bounded for `|Im x| < π/2`: errors of about
//! `exp(−2πa/h)`, a = 1.2.
//!
//! Cost: at most [`MAX_NODES`] values of x per class, some 70 terms each ([`Responses`]), from where all H are 0 to
//! where all u are small, then [`tail`]. Wider beliefs: [`panels`], a few hundred values of x ([`alone`]).

mod alone;
mod panels;
mod responses;
mod tail;

use crate::derivatives::LatentDerivatives;
use crate::latent::Latent;
use responses::{Jet, Responses, SMALL, survival};
use tail::{Tail, exponential};

/// Error `exp(−2π 1.2/h)` = 8e-14 for third derivatives.
const STEP: f64 = 0.25;
/// Reaches standard deviations of about 28.
const MAX_NODES: usize = 1 << 11;
/// Standard deviations; mass 2e-16 beyond.
const REACH: f64 = 8.2;
/// `exp(−u)` is 0 from `u = exp(3.7)`, 1 up to `u = exp(−37)`.
const BELOW: f64 = 3.7;
const ABOVE: f64 = 37.0;
/// Terms of series for small u.
const TERMS: usize = 9;
/// Smallest probability with enough digits.
const LEAST: f64 = 1e-9;

const EULER: f64 = 0.577_215_664_901_532_9;

#[derive(Clone, Debug, Default)]
pub(crate) struct GumbelRace {
    weights: Vec<f64>,
    /// Jets by class, then by x.
    jets: Vec<Jet>,
    /// `Π_k H_k`
    product: Vec<f64>,
    /// Two terms of `E[ln Σ_k exp(f_k)]`.
    reference: f64,
    above: f64,
    panels: Vec<(f64, f64)>,
    responses: Responses,
    tail: Tail,
}

impl GumbelRace {
    /// `false` for too wide beliefs.
    pub(super) fn look(&mut self, q: &[Latent]) -> bool {
        let reach = |latent: &Latent| REACH * latent.variance().sqrt();
        let low = q.iter().map(|latent| latent.mean() - reach(latent)).fold(f64::NEG_INFINITY, f64::max);
        let high = q.iter().map(|latent| latent.mean() + reach(latent)).fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = (low - BELOW, high + ABOVE);
        self.weights.clear();
        self.jets.clear();
        let nodes = ((small_from(q) - low) / STEP).ceil();
        let is_grid = (1.0..=MAX_NODES as f64).contains(&nodes);
        if is_grid {
            self.look_at_grid(q, low, nodes as usize);
        } else if !self.look_at_panels(q, (low, high)) {
            return false;
        }
        let count = self.weights.len();
        self.product.clear();
        self.product.resize(count, 1.0);
        for own in self.jets.chunks_exact(count) {
            self.product.iter_mut().zip(own).for_each(|(product, jet)| *product *= jet[0]);
        }
        if is_grid {
            self.measure_grid(q, low);
        } else {
            self.measure_panels(low);
        }
        true
    }

    fn look_at_grid(&mut self, q: &[Latent], low: f64, nodes: usize) {
        self.weights.resize(nodes, STEP);
        let (responses, jets) = (&mut self.responses, &mut self.jets);
        self.tail.set(q.iter().map(|latent| responses.add(*latent, low, nodes, jets)));
    }

    fn look_at_panels(&mut self, q: &[Latent], range: (f64, f64)) -> bool {
        self.tail.clear();
        let found = panels::lay(q, range, &mut self.panels);
        self.weights.extend(self.panels.iter().map(|(_, weight)| weight));
        for latent in q {
            self.jets.extend(self.panels.iter().map(|(x, _)| alone::jet(*latent, *x)));
        }
        found
    }

    /// Terms vanish at both ends.
    fn measure_grid(&mut self, q: &[Latent], low: f64) {
        let largest = q.iter().map(|latent| latent.mean()).fold(f64::NEG_INFINITY, f64::max);
        // Any r is possible; at a node, the first term comes from a table.
        let node = ((largest - low) / STEP).round();
        let term = |(j, product): (usize, &f64)| survival(node as isize - j as isize) - product;
        let sum: f64 = self.product.iter().enumerate().map(term).sum();
        let beyond = exponential((STEP * (node - self.product.len() as f64)).exp());
        let sum = sum + self.tail.sum_less_product(&beyond);
        (self.reference, self.above) = (low + STEP * node, STEP * sum);
    }

    /// Uses `∫ exp(−exp(r − x)) dx = ∫_r dx − γ`, r the lower end.
    fn measure_panels(&mut self, low: f64) {
        let terms = self.weights.iter().zip(&self.product);
        self.above = terms.map(|(weight, product)| weight * (1.0 - product)).sum();
        self.reference = low - EULER;
    }

    #[cfg(test)]
    pub(super) fn nodes(&self) -> usize {
        self.weights.len()
    }

    fn class(&self, c: usize) -> &[Jet] {
        let count = self.weights.len();
        &self.jets[c * count..(c + 1) * count]
    }

    /// Index, weight, jet of class c, product (nonzero).
    fn terms(&self, c: usize) -> impl Iterator<Item = (usize, f64, &Jet, f64)> {
        let terms = self.weights.iter().zip(self.class(c)).zip(&self.product).enumerate();
        terms
            .filter(|(_, (_, product))| **product > 0.0)
            .map(|(j, ((weight, jet), product))| (j, *weight, jet, *product))
    }

    /// Integral of `H_c^(order) Π_{k≠c} H_k`.
    fn integral(&self, c: usize, order: usize) -> f64 {
        let terms = self.terms(c);
        let sum: f64 = terms.map(|(_, weight, jet, product)| weight * (jet[order] * product / jet[0])).sum();
        sum + STEP * self.tail.sum_of(c, order)
    }

    pub(super) fn probabilities(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(c, slot)| *slot = self.integral(c, 1));
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= total);
    }

    /// `false` if the label is too improbable.
    pub(super) fn tilted(&self, label: usize, out: &mut LatentDerivatives) -> bool {
        let mass = self.integral(label, 1);
        if mass.is_nan() || mass < LEAST {
            return false;
        }
        let classes = out.by_mean.len();
        for k in (0..classes).filter(|&k| k != label) {
            let rivals = self.class(k);
            let [mut by_mean, mut by_variance] = self.tail.sums_of_pair(label, k).map(|sum| STEP * sum);
            by_mean = -by_mean;
            for (j, weight, own, product) in self.terms(label) {
                let rival = &rivals[j];
                let density = weight * (own[1] * product / (own[0] * rival[0]));
                by_mean -= density * rival[1];
                by_variance += density * rival[2];
            }
            (out.by_mean[k], out.by_variance[k]) = (by_mean / mass, 0.5 * by_variance / mass);
        }
        // A common shift of all means changes nothing.
        out.by_mean[label] = -out.by_mean.iter().sum::<f64>();
        out.by_variance[label] = 0.5 * self.integral(label, 3) / mass;
        out.value = mass.ln();
        true
    }

    pub(super) fn expected(&self, label: usize, q: &[Latent], out: &mut LatentDerivatives) {
        out.value = q[label].mean() - self.reference - self.above;
        for k in 0..q.len() {
            let [mut first, mut second] = [1, 2].map(|order| STEP * self.tail.sum_of(k, order));
            for (_, weight, jet, product) in self.terms(k) {
                let rest = weight * (product / jet[0]);
                first += rest * jet[1];
                second += rest * jet[2];
            }
            out.by_mean[k] = f64::from(u8::from(k == label)) - first;
            out.by_variance[k] = 0.5 * second;
        }
    }
}

/// `x` from which [`TERMS`] terms suffice: the next is ≤ `E[Sᴺ]/N!`, `S = Σ u`, `E[uᴺ] ≤ exp(N (m + N s²/2 − x))`.
fn small_from(q: &[Latent]) -> f64 {
    let size = |latent: &Latent| {
        let s = latent.variance().sqrt();
        latent.mean() + s * REACH.min(0.5 * TERMS as f64 * s)
    };
    let largest = q.iter().map(size).fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = q.iter().map(|latent| (size(latent) - largest).exp()).sum();
    largest + sum.ln() + SMALL
}
