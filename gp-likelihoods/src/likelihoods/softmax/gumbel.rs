//! Softmax under independent Gaussians, as a race of numbers with Gumbel noise.
//!
//! The largest of `f_k + g_k` with independent Gumbel g is that of class c with probability `exp(f_c)/Σ_k exp(f_k)`. With
//! `u = exp(f − x)` for `f ~ q_k`, `H_k(x) = P(f_k + g_k ≤ x) = E[exp(−u)]` and its derivatives by x, all expectations
//! over the f are integrals along one number x, whatever the number of classes:
//!
//! - `E[p(c | f)] = ∫ H_c′ Π_{k≠c} H_k dx`
//! - `E[ln Σ_k exp(f_k)] = r + ∫ exp(−exp(r − x)) − Π_k H_k dx` for any r, because `ln S = ∫ (exp(−s) − exp(−s S)) ds/s`,
//!   with `s = exp(r − x)`
//!
//! and `∂H/∂m = −H′`, `∂H/∂v = ½ H″`. Integrands are analytic and bounded for `|Im x| < π/2`, and so are those of the
//! inner expectations in f: sums over equidistant grids of step h are right to about `exp(−2πa/h)` with a = 1.2.

use crate::latent::Latent;
use crate::slopes::Slopes;
use crate::special::HALF_LN_TAU;
use std::sync::OnceLock;

/// The step in x, and in f of beliefs that are not narrow: `exp(−2π 1.2/h)` = 1e-14.
const STEP: f64 = 0.234;
/// Nodes in x at most; beliefs with deviations beyond 12 or so are for others.
const MAX_NODES: usize = 1_024;
/// A Gaussian has mass 2e-16 beyond so many deviations.
const REACH: f64 = 8.2;
/// `exp(−u)` vanishes at `u = exp(3.7)`, and is 1 at `u = exp(−37)`.
const BELOW: f64 = 3.7;
const ABOVE: f64 = 37.0;
/// Narrower beliefs have a grid of their own, of this step in deviations: 1.2 are then 2.4 of them, and
/// `exp(½ 2.4² − 2π 2.4/0.45)` = 5e-14.
const NARROW: f64 = 0.5;
const NARROW_STEP: f64 = 0.45;
/// Where u is beyond the largest number whose exponential is one.
const OVERWHELMING: f64 = 6.5;
/// Probabilities below this have too few digits.
const LEAST: f64 = 1e-9;

/// `H, H′, H″, H‴` of a class at one x.
type Jet = [f64; 4];

/// What a belief makes of every x of a grid, class after class.
#[derive(Clone, Debug, Default)]
pub(crate) struct GumbelRace {
    low: f64,
    nodes: usize,
    jets: Vec<Jet>,
    /// `Π_k H_k`
    product: Vec<f64>,
    weights: Vec<f64>,
}

impl GumbelRace {
    /// Looks at beliefs, and tells whether there is a grid for them.
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
            let first = (latent.mean() - reach(latent) - self.low) / STEP;
            if latent.variance().sqrt() < NARROW || first < -(MAX_NODES as f64) {
                self.add_apart(*latent);
            } else {
                self.add_wide(*latent, first.ceil() as isize);
            }
            let own = &self.jets[self.jets.len() - self.nodes..];
            self.product.iter_mut().zip(own).for_each(|(product, jet)| *product *= jet[0]);
        }
        true
    }

    /// A belief on the grid of the x, where `f − x` takes few values.
    fn add_wide(&mut self, q: Latent, first: isize) {
        let (s, responses) = (q.variance().sqrt(), responses());
        let count = (2.0 * REACH * s / STEP) as isize + 1;
        let weight = |i: isize| {
            let t = (self.low + STEP * i as f64 - q.mean()) / s;
            STEP / s * (-0.5 * t * t - HALF_LN_TAU).exp()
        };
        self.weights.clear();
        self.weights.extend((first..first + count).map(weight));
        for j in 0..self.nodes as isize {
            let start = (first - j + 2 * MAX_NODES as isize) as usize;
            let near = &responses[start..start + self.weights.len()];
            let mut jet = Jet::default();
            for (response, weight) in near.iter().zip(&self.weights) {
                (0..4).for_each(|k| jet[k] += weight * response[k]);
            }
            self.jets.push(jet);
        }
    }

    /// A belief on a grid of its own, or the one number that it is.
    fn add_apart(&mut self, q: Latent) {
        let s = q.variance().sqrt();
        let step = NARROW_STEP.min(STEP / s);
        let half = if s > 0.0 { (REACH / step).ceil() as i32 } else { 0 };
        let scale = if s > 0.0 { step * (-HALF_LN_TAU).exp() } else { 1.0 };
        let offset = |i: i32| step * f64::from(i);
        self.weights.clear();
        self.weights.extend((-half..=half).map(|i| scale * (-0.5 * offset(i).powi(2)).exp()));
        for j in 0..self.nodes {
            let centre = q.mean() - (self.low + STEP * j as f64);
            let mut jet = Jet::default();
            for (i, weight) in (-half..=half).zip(&self.weights) {
                let response = response(centre + s * offset(i));
                (0..4).for_each(|k| jet[k] += weight * response[k]);
            }
            self.jets.push(jet);
        }
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

    /// `E[p(c | f)]` of all classes.
    pub(super) fn probabilities(&self, out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(c, slot)| *slot = self.integral(c, |jet| jet[1]));
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= total);
    }

    /// `ln E[p(label | f)]` with its slopes, where that is not hopeless.
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
        let r = q.iter().map(|latent| latent.mean()).fold(f64::NEG_INFINITY, f64::max);
        let term = |(j, product): (usize, &f64)| response(r - self.low - STEP * j as f64)[0] - product;
        let above: f64 = self.product.iter().enumerate().map(term).sum();
        out.value = q[label].mean() - r - STEP * above;
        for k in 0..q.len() {
            out.by_mean[k] = f64::from(u8::from(k == label)) - self.integral(k, |jet| jet[1]);
            out.by_variance[k] = 0.5 * self.integral(k, |jet| jet[2]);
        }
    }
}

/// `exp(−u)` for `u = exp(d)`, `d = f − x`, with three derivatives by x.
fn response(d: f64) -> Jet {
    let u = d.min(OVERWHELMING).exp();
    let survival = (-u).exp();
    [survival, u * survival, (u - 1.0) * u * survival, ((u - 3.0) * u + 1.0) * u * survival]
}

/// Responses at multiples of the step, from −2 to +1 grids on.
fn responses() -> &'static [Jet] {
    static RESPONSES: OnceLock<Vec<Jet>> = OnceLock::new();
    let last = MAX_NODES as i32;
    RESPONSES.get_or_init(|| (-2 * last..=last).map(|n| response(STEP * f64::from(n))).collect())
}
