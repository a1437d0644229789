//! Curvature pairs.

use crate::solvers::vector::{add_scaled, dot, norm};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Smallest cosine of y and s, against noise and negative curvature.
const CAUTION: f64 = 1e-10;

/// Steps s, gradient differences y: inverse Hessian H.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Memory {
    capacity: usize,
    /// Oldest first.
    pairs: VecDeque<Pair>,
    #[serde(skip)]
    spare: Pair,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    /// yᵀs, positive.
    curvature: f64,
    /// yᵀy, for the initial scale.
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

    pub(super) fn fits(&self, dimension: usize) -> bool {
        self.pairs.iter().all(|pair| pair.s.len() == dimension && pair.y.len() == dimension)
    }

    /// −H g by two-loop recursion (Nocedal and Wright, algorithm 7.4).
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

    pub(super) fn learn(&mut self, from: (&[f64], &[f64]), to: (&[f64], &[f64])) {
        self.spare.set(from, to);
        if !self.spare.is_trustworthy() {
            return;
        }
        // The new pair takes the buffers of the oldest.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn learnt(capacity: usize, steps: &[([f64; 3], [f64; 3])]) -> Memory {
        let mut memory = Memory::new(capacity);
        let zero = [0.0; 3];
        for (s, y) in steps {
            memory.learn((&zero, &zero), (s, y));
        }
        memory
    }

    fn apply(memory: &Memory, g: &[f64]) -> Vec<f64> {
        let (mut shares, mut direction) = (Vec::new(), Vec::new());
        memory.direction(g, &mut shares, &mut direction);
        direction.iter().map(|d| -d).collect()
    }

    /// Dense inverse Hessian: (I − s yᵀ/yᵀs) H (I − y sᵀ/yᵀs) + s sᵀ/yᵀs.
    fn dense_update(h: &[[f64; 3]; 3], s: &[f64; 3], y: &[f64; 3]) -> [[f64; 3]; 3] {
        let rho = 1.0 / dot(s, y);
        let hy: [f64; 3] = std::array::from_fn(|i| dot(&h[i], y));
        let yhy = dot(y, &hy);
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                h[i][j] - rho * (s[i] * hy[j] + hy[i] * s[j]) + rho * (rho * yhy + 1.0) * s[i] * s[j]
            })
        })
    }

    const PAIRS: [([f64; 3], [f64; 3]); 3] = [
        ([1.0, 0.5, -0.2], [2.0, 0.1, 0.3]),
        ([-0.3, 0.8, 0.4], [-0.1, 1.5, 0.2]),
        ([0.2, -0.1, 0.9], [0.5, 0.3, 4.0]),
    ];

    #[test]
    fn the_recursion_is_the_dense_update() {
        let memory = learnt(3, &PAIRS);
        let (s, y) = PAIRS[2];
        let scale = dot(&s, &y) / dot(&y, &y);
        let mut h = [[scale, 0.0, 0.0], [0.0, scale, 0.0], [0.0, 0.0, scale]];
        for (s, y) in &PAIRS {
            h = dense_update(&h, s, y);
        }
        let g = [0.7, -1.1, 0.4];
        for (row, applied) in h.iter().zip(apply(&memory, &g)) {
            // A few dozen operations on numbers of order 1.
            assert!((dot(row, &g) - applied).abs() < 1e-14);
        }
    }

    #[test]
    fn the_newest_pair_is_met_exactly_and_the_oldest_forgotten() {
        let memory = learnt(2, &PAIRS);
        let (s, y) = PAIRS[2];
        for (entry, expected) in apply(&memory, &y).iter().zip(s) {
            assert!((entry - expected).abs() < 1e-14);
        }
        let without_oldest = learnt(2, &PAIRS[1..]);
        assert_eq!(apply(&memory, &[1.0, 2.0, 3.0]), apply(&without_oldest, &[1.0, 2.0, 3.0]));
    }

    #[test]
    fn pairs_that_cannot_be_trusted_push_nothing_out() {
        let mut memory = learnt(3, &PAIRS);
        let before = apply(&memory, &[1.0, 2.0, 3.0]);
        let zero = [0.0; 3];
        let refused: [([f64; 3], [f64; 3]); 5] = [
            ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
            ([1.0, 0.0, 0.0], [1e-11, 1.0, 0.0]),
            ([0.0; 3], [1.0, 1.0, 1.0]),
            ([1.0, 1.0, 1.0], [f64::NAN, 1.0, 1.0]),
            ([1e200, 0.0, 0.0], [1e200, 0.0, 0.0]),
        ];
        for (s, y) in &refused {
            memory.learn((&zero, &zero), (s, y));
        }
        assert_eq!(apply(&memory, &[1.0, 2.0, 3.0]), before);
    }

    #[test]
    fn an_empty_memory_points_down_the_gradient() {
        assert_eq!(apply(&Memory::new(4), &[1.0, -2.0, 3.0]), [1.0, -2.0, 3.0]);
    }
}
