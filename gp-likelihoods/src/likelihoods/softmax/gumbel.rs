//! Softmax under independent Gaussians, as a race with Gumbel noise.
//!
//! With independent Gumbel g, the largest of `f_k + g_k` is that of class c with probability `exp(f_c)/Σ_k
//! exp(f_k)`. For `u = exp(f − x)`, `f ~ q_k` and `H_k(x) = P(f_k + g_k ≤ x) = E[exp(−u)]`, all
//! expectations are integrals along one number x, for any number of classes:
//!
//! - `E[p(c | f)] = ∫ H_c′ Π_{k≠c} H_k dx`
//! - `E[ln Σ_k exp(f_k)] = r + ∫ exp(−exp(r − x)) − Π_k H_k dx` for any r, because `ln S = ∫ (exp(−s) − exp(−s S)) ds/s`,
//!   with `s = exp(r − x)`
//!
//! and `∂H/∂m = −H′`, `∂H/∂v = ½ H″`. Integrands are analytic and bounded for `|Im x| < π/2`, as are the
//! inner expectations in f: sums on grids of step h err by about `exp(−2πa/h)` with a = 1.2.
//!
//! Cost: at most [`MAX_NODES`] numbers x per class, of some 70 terms each ([`Responses`]), however wide its
//! belief.

mod responses;

use crate::latent::Latent;
use crate::slopes::Slopes;
use responses::{Jet, Responses, survival};

/// Step in x: error `exp(−2π 1.2/h)` = 8e-14, less for all but the third derivative.
const STEP: f64 = 0.25;
/// Most nodes in x; beliefs with deviations beyond about 200 are left to other means.
const MAX_NODES: usize = 1 << 14;
/// Deviations beyond which a Gaussian has mass 2e-16.
const REACH: f64 = 8.2;
/// Exponent at which `exp(−u)` vanishes: `u = exp(3.7)`; it is 1 at `u = exp(−37)`.
const BELOW: f64 = 3.7;
const ABOVE: f64 = 37.0;
/// Least probability with enough digits.
const LEAST: f64 = 1e-9;

/// Jets of every class at every x of a grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct GumbelRace {
    low: f64,
    nodes: usize,
    jets: Vec<Jet>,
    /// `Π_k H_k`
    product: Vec<f64>,
    responses: Responses,
}

impl GumbelRace {
    /// Evaluates beliefs; false if there is no grid for them.
    pub(super) fn look(&mut self, q: &[Latent]) -> bool {
        let reach = |latent: &Latent| REACH * latent.variance().sqrt();
        let low = q.iter().map(|latent| latent.mean() - reach(latent)).fold(f64::NEG_INFINITY, f64::max);
        let high = q.iter().map(|latent| latent.mean() + reach(latent)).fold(f64::NEG_INFINITY, f64::max);
        self.low = low - BELOW;
        let nodes = ((high + ABOVE - self.low) / STEP).ceil();
        if nodes.is_nan() || nodes > MAX_NODES as f64 {
            return false;
        }
        self.nodes = nodes as usize;
        self.jets.clear();
        self.product.clear();
        self.product.resize(self.nodes, 1.0);
        for latent in q {
            self.responses.add(*latent, self.low, self.nodes, &mut self.jets);
            let own = &self.jets[self.jets.len() - self.nodes..];
            self.product.iter_mut().zip(own).for_each(|(product, jet)| *product *= jet[0]);
        }
        true
    }

    fn class(&self, c: usize) -> &[Jet] {
        &self.jets[c * self.nodes..(c + 1) * self.nodes]
    }

    /// `∫ g(jet of c) Π_{k≠c} H_k dx`
    fn integral(&self, c: usize, g: impl Fn(&Jet) -> f64) -> f64 {
        let terms = self.class(c).iter().zip(&self.product);
        STEP * terms
            .map(|(jet, product)| if *product > 0.0 { g(jet) * product / jet[0] } else { 0.0 })
            .sum::<f64>()
    }

    /// `E[p(c | f)]` for all classes.
    pub(super) fn probabilities(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(c, slot)| *slot = self.integral(c, |jet| jet[1]));
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= total);
    }

    /// `ln E[p(label | f)]` with slopes, unless the label is too improbable.
    pub(super) fn tilted(&self, label: usize, out: &mut Slopes) -> bool {
        let mass = self.integral(label, |jet| jet[1]);
        if mass.is_nan() || mass < LEAST {
            return false;
        }
        let classes = out.by_mean.len();
        for k in (0..classes).filter(|&k| k != label) {
            let (mut by_mean, mut by_variance) = (0.0, 0.0);
            for ((own, rival), product) in self.class(label).iter().zip(self.class(k)).zip(&self.product) {
                let weight = if *product > 0.0 { own[1] * product / (own[0] * rival[0]) } else { 0.0 };
                by_mean -= weight * rival[1];
                by_variance += weight * rival[2];
            }
            (out.by_mean[k], out.by_variance[k]) = (STEP * by_mean / mass, 0.5 * STEP * by_variance / mass);
        }
        // All means may move alike.
        out.by_mean[label] = -out.by_mean.iter().sum::<f64>();
        out.by_variance[label] = 0.5 * self.integral(label, |jet| jet[3]) / mass;
        out.value = mass.ln();
        true
    }

    /// `E[ln p(label | f)]` with its slopes.
    pub(super) fn expected(&self, label: usize, q: &[Latent], out: &mut Slopes) {
        let largest = q.iter().map(|latent| latent.mean()).fold(f64::NEG_INFINITY, f64::max);
        // Any r will do: that of a node makes the first term a table.
        let node = ((largest - self.low) / STEP).round();
        let r = self.low + STEP * node;
        let term = |(j, product): (usize, &f64)| survival(node as isize - j as isize) - product;
        let above: f64 = self.product.iter().enumerate().map(term).sum();
        out.value = q[label].mean() - r - STEP * above;
        for k in 0..q.len() {
            let (mut first, mut second) = (0.0, 0.0);
            for (jet, product) in
                self.class(k).iter().zip(&self.product).filter(|(_, product)| **product > 0.0)
            {
                let rest = product / jet[0];
                first += rest * jet[1];
                second += rest * jet[2];
            }
            out.by_mean[k] = f64::from(u8::from(k == label)) - STEP * first;
            out.by_variance[k] = 0.5 * STEP * second;
        }
    }
}
