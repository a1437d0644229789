//! What the last steps tell about curvature.

use crate::solvers::vector::{add_scaled, dot, norm};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A pair is kept only if yᵀs > this · ‖s‖ ‖y‖. On a quadratic of condition κ the cosine between the two is at
/// least 2 / √κ, so only conditions beyond 10²⁰ are turned away along with negative curvature and noise.
const CAUTION: f64 = 1e-10;

/// The last steps s and gradient differences y, an approximation to the inverse of the Hessian.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Memory {
    capacity: usize,
    /// Oldest first.
    pairs: VecDeque<Pair>,
    /// Buffers for the next pair.
    #[serde(skip)]
    spare: Pair,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    /// yᵀs, positive.
    curvature: f64,
    /// yᵀy.
    y_squared: f64,
}

impl Memory {
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, pairs: VecDeque::new(), spare: Pair::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Whether every pair has the given number of entries.
    pub(super) fn fits(&self, dimension: usize) -> bool {
        self.pairs.iter().all(|pair| pair.s.len() == dimension && pair.y.len() == dimension)
    }

    /// Writes −H g into `direction`, by the two-loop recursion (Nocedal and Wright, algorithm 7.4); −g without pairs.
    pub(super) fn direction(&self, gradient: &[f64], shares: &mut Vec<f64>, direction: &mut Vec<f64>) {
        direction.clear();
        direction.extend(gradient.iter().map(|g| -g));
        shares.clear();
        for pair in self.pairs.iter().rev() {
            let share = dot(&pair.s, direction) / pair.curvature;
            add_scaled(direction, -share, &pair.y);
            shares.push(share);
        }
        if let Some(last) = self.pairs.back() {
            let scale = last.curvature / last.y_squared;
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for (pair, share) in self.pairs.iter().zip(shares.iter().rev()) {
            let back = dot(&pair.y, direction) / pair.curvature;
            add_scaled(direction, share - back, &pair.s);
        }
    }

    /// Takes in the step between two points, unless its curvature cannot be trusted.
    pub(super) fn learn(&mut self, from: (&[f64], &[f64]), to: (&[f64], &[f64])) {
        self.spare.set(from, to);
        if !self.spare.is_trustworthy() {
            return;
        }
        // The oldest pair gives its buffers to the next one.
        let full = self.pairs.len() >= self.capacity;
        let freed = if full { self.pairs.pop_front() } else { None };
        self.pairs.push_back(std::mem::replace(&mut self.spare, freed.unwrap_or_default()));
    }
}

impl Pair {
    fn set(&mut self, (x, g): (&[f64], &[f64]), (x_new, g_new): (&[f64], &[f64])) {
        self.s.clear();
        self.s.extend(x_new.iter().zip(x).map(|(new, old)| new - old));
        self.y.clear();
        self.y.extend(g_new.iter().zip(g).map(|(new, old)| new - old));
        self.curvature = dot(&self.y, &self.s);
        self.y_squared = dot(&self.y, &self.y);
    }

    fn is_trustworthy(&self) -> bool {
        let bound = CAUTION * norm(&self.s) * norm(&self.y);
        self.curvature.is_normal()
            && self.y_squared.is_normal()
            && bound.is_finite()
            && self.curvature > bound
    }
}
