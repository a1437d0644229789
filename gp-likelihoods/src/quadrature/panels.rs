//! Adaptive integration.

use super::legendre::ORDER;
use super::{GaussLegendre, Integrals};
use crate::error::LikelihoodError;

const MAX_DEPTH: u32 = 40;
/// Limits the time; panels left are accepted.
const MAX_PANELS: usize = 4_000;
/// Allowed error over `∫ |g|`; distant narrow peaks have noise 1e-7.
const FORGIVEN: f64 = 1e-5;

/// Share of required accuracy below which panels are accepted.
const EMPTY: f64 = 1e-3;

/// Ends and halvings.
type Panel = (f64, f64, u32);
/// Integrals, and integrals of absolute values.
type Found<const K: usize> = ([f64; K], [f64; K]);

/// Rule adapted to one integrand, for similar ones.
#[derive(Clone, Debug, Default)]
pub struct Panels {
    nodes: Vec<f64>,
    weights: Vec<f64>,
    stack: Vec<Panel>,
    /// Per panel: K integrals, K of absolute values.
    values: Vec<f64>,
}

impl Panels {
    /// Adapts to K integrands between increasing `edges`; returns their integrals.
    ///
    /// Panels are halved until 16-point values agree to `tolerance · ∫ |g_k|`; below two edges the rule is
    /// empty. Cost: at most 16 evaluations per initial, 32 per halved panel.
    ///
    /// # Errors
    /// [`LikelihoodError::Unresolved`] for a non-finite integrand, or errors above `1e-5 ∫ |g_k|` after 40 halvings or
    /// 4000 panels.
    pub fn adapt<const K: usize>(
        &mut self,
        edges: &[f64],
        tolerance: f64,
        integrand: impl FnMut(f64) -> [f64; K],
    ) -> Result<[f64; K], LikelihoodError> {
        self.integrals(edges, tolerance, integrand).map(|found| found.values)
    }

    /// [`Panels::adapt`] with integrals of absolute values.
    pub(crate) fn integrals<const K: usize>(
        &mut self,
        edges: &[f64],
        tolerance: f64,
        mut integrand: impl FnMut(f64) -> [f64; K],
    ) -> Result<Integrals<K>, LikelihoodError> {
        self.nodes.clear();
        self.weights.clear();
        self.stack.clear();
        self.values.clear();
        let mut sizes = [0.0; K];
        for edge in edges.windows(2).rev().filter(|e| e[0] < e[1]) {
            let found = panel(edge[0], edge[1], &mut integrand);
            add(&mut sizes, &found.1);
            self.push((edge[0], edge[1], 0), found);
        }
        let mut total = Integrals { values: [0.0; K], sizes: [0.0; K] };
        let (mut forgiven, mut looked_at) = ([0.0; K], 0);
        let mut unresolved = (f64::NAN, f64::NAN);
        while let Some(((low, high, depth), (whole, size))) = self.pop::<K>() {
            let is_empty = |k: usize| sizes[k].is_finite() && size[k] <= EMPTY * tolerance * sizes[k];
            if depth == 0 && (0..K).all(is_empty) {
                add(&mut total.values, &whole);
                add(&mut total.sizes, &size);
                self.keep(low, high);
                continue;
            }
            looked_at += 1;
            let middle = 0.5 * (low + high);
            let (left, right) = (panel(low, middle, &mut integrand), panel(middle, high, &mut integrand));
            let off: [f64; K] = std::array::from_fn(|k| (whole[k] - left.0[k] - right.0[k]).abs());
            let good = (0..K).all(|k| off[k] <= tolerance * sizes[k]);
            if good || depth == MAX_DEPTH || looked_at > MAX_PANELS {
                if !good {
                    add(&mut forgiven, &off);
                    unresolved = (low, high);
                }
                for (from, to, part) in [(low, middle, left), (middle, high, right)] {
                    add(&mut total.values, &part.0);
                    add(&mut total.sizes, &part.1);
                    self.keep(from, to);
                }
            } else {
                // Includes what the coarse panel missed.
                (0..K).for_each(|k| sizes[k] = sizes[k].max(left.1[k] + right.1[k]));
                self.push((middle, high, depth + 1), right);
                self.push((low, middle, depth + 1), left);
            }
        }
        if (0..K).all(|k| forgiven[k] <= FORGIVEN * sizes[k]) {
            return Ok(total);
        }
        Err(LikelihoodError::Unresolved { low: unresolved.0, high: unresolved.1 })
    }

    /// Adapted rule applied to another integrand.
    pub fn sum(&self, mut integrand: impl FnMut(f64) -> f64) -> f64 {
        self.nodes.iter().zip(&self.weights).map(|(&x, w)| w * integrand(x)).sum()
    }

    /// Nodes of the rule with weights.
    pub fn rule(&self) -> impl Iterator<Item = (f64, f64)> {
        self.nodes.iter().copied().zip(self.weights.iter().copied())
    }

    fn push<const K: usize>(&mut self, panel: Panel, (values, sizes): Found<K>) {
        self.stack.push(panel);
        self.values.extend(values.into_iter().chain(sizes));
    }

    fn pop<const K: usize>(&mut self) -> Option<(Panel, Found<K>)> {
        let panel = self.stack.pop()?;
        let first = self.values.len() - 2 * K;
        let [values, sizes] = [first, first + K].map(|from| std::array::from_fn(|k| self.values[from + k]));
        self.values.truncate(first);
        Some((panel, (values, sizes)))
    }

    fn keep(&mut self, low: f64, high: f64) {
        let rule = GaussLegendre::shared();
        let (half, centre) = (0.5 * (high - low), 0.5 * (high + low));
        self.nodes.extend(rule.nodes.iter().map(|t| centre + half * t));
        self.weights.extend(rule.weights.iter().map(|w| half * w));
    }
}

fn panel<const K: usize>(
    low: f64,
    high: f64,
    integrand: &mut impl FnMut(f64) -> [f64; K],
) -> ([f64; K], [f64; K]) {
    let rule = GaussLegendre::shared();
    let (half, centre) = (0.5 * (high - low), 0.5 * (high + low));
    let (mut sums, mut sizes) = ([0.0; K], [0.0; K]);
    for i in 0..ORDER {
        let values = integrand(centre + half * rule.nodes[i]);
        for k in 0..K {
            sums[k] += half * rule.weights[i] * values[k];
            sizes[k] += half * rule.weights[i] * values[k].abs();
        }
    }
    (sums, sizes)
}

fn add<const K: usize>(total: &mut [f64; K], part: &[f64; K]) {
    total.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
}
