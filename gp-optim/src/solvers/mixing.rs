//! Anderson mixing of fixed-point iterations.
//!
//! A full step at `x_j` is `r_j`, zero at convergence. Weights θ with sum 1 minimise `‖Σ θ_j r_j‖`; the proposal is
//! `Σ θ_j (x_j + r_j)`.

use super::vector::{all_finite, dot};
use std::collections::VecDeque;

/// Minimum independent share of a new change's square.
const NEW: f64 = 1e-8;
/// Minimum relative to the squares it subtracts.
const ROUNDING: f64 = 1e-8;

#[derive(Clone, Debug, Default)]
struct Known {
    place: Vec<f64>,
    step: Vec<f64>,
    /// Inner products with steps, newest first.
    products: Vec<f64>,
}

/// Anderson mixing of the last points.
///
/// ```
/// use gp_optim::Mixing;
/// // Steps that lead from 4 to 2 and from 2 to 1 lead to 0.
/// let mut mixing = Mixing::new(5);
/// assert_eq!(mixing.propose(vec![4.0], vec![-2.0]), None);
/// mixing.remember();
/// assert_eq!(mixing.propose(vec![2.0], vec![-1.0]), Some(&[0.0][..]));
/// assert_eq!(mixing.weights(), [2.0, -1.0]);
/// ```
#[derive(Debug)]
pub struct Mixing {
    memory: usize,
    /// Newest first.
    past: VecDeque<Known>,
    here: Known,
    /// θ of current and past points.
    weights: Vec<f64>,
    mixed: Vec<f64>,
    is_mixed: bool,
}

impl Mixing {
    /// Memory of this many points.
    #[must_use]
    pub fn new(memory: usize) -> Self {
        let (weights, mixed) = (Vec::new(), Vec::new());
        Self { memory, past: VecDeque::new(), here: Known::default(), weights, mixed, is_mixed: false }
    }

    /// Mixed point, from `place` and its full `step`; None: plain step.
    pub fn propose(&mut self, place: Vec<f64>, step: Vec<f64>) -> Option<&[f64]> {
        let mut products = vec![dot(&step, &step)];
        products.extend(self.past.iter().map(|past| dot(&step, &past.step)));
        self.here = Known { place, step, products };
        self.set_weights();
        self.is_mixed = !self.past.is_empty();
        if !self.is_mixed {
            return None;
        }
        self.mixed.clear();
        self.mixed.resize(self.here.place.len(), 0.0);
        for (known, weight) in std::iter::once(&self.here).chain(&self.past).zip(&self.weights) {
            if *weight != 0.0 {
                let ends = known.place.iter().zip(&known.step);
                self.mixed.iter_mut().zip(ends).for_each(|(mixed, (x, r))| *mixed += weight * (x + r));
            }
        }
        self.is_mixed = all_finite(&self.mixed);
        self.is_mixed.then_some(&self.mixed[..])
    }

    /// Proposal's weights, sum 1: current point, then newest first.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// `true` from a mixed proposal until [`remember`](Self::remember) or [`forget`](Self::forget).
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// Stores the last proposal's point, once.
    pub fn remember(&mut self) {
        if !self.here.products.is_empty() {
            self.past.push_front(std::mem::take(&mut self.here));
        }
        self.past.truncate(self.memory);
        self.is_mixed = false;
    }

    /// Clears the memory.
    pub fn forget(&mut self) {
        self.past.clear();
        self.is_mixed = false;
    }

    /// Inner product; step 0 is current, 1 the newest past.
    fn product(&self, a: usize, b: usize) -> f64 {
        let (newer, older) = (a.min(b), a.max(b));
        let known = if newer == 0 { &self.here } else { &self.past[newer - 1] };
        known.products[older - newer]
    }

    /// Weights by least squares on independent changes.
    fn set_weights(&mut self) {
        let count = self.past.len();
        let of_changes = |a: usize, b: usize| {
            self.product(0, 0) - self.product(0, a) - self.product(0, b) + self.product(a, b)
        };
        // Lower half of LDLᵀ; the right-hand side is its last row.
        let mut rows: Vec<Vec<f64>> =
            (1..=count).map(|a| (1..=a).map(|b| of_changes(a, b)).collect()).collect();
        rows.push((1..=count).map(|a| self.product(0, 0) - self.product(0, a)).collect());
        let mut is_new = vec![false; count];
        for k in 0..count {
            let whole = of_changes(k + 1, k + 1);
            let squares = self.product(0, 0) + self.product(k + 1, k + 1);
            let pivot = rows[k][k];
            is_new[k] = pivot > NEW * whole + ROUNDING * squares;
            if is_new[k] {
                let below: Vec<f64> = rows[k + 1..].iter().map(|row| row[k]).collect();
                for (row, factor) in rows[k + 1..].iter_mut().zip(&below) {
                    let later = row[k + 1..].iter_mut().zip(&below);
                    later.for_each(|(value, other)| *value -= factor / pivot * other);
                }
            }
        }
        let mut shares = vec![0.0; count];
        for k in (0..count).rev().filter(|&k| is_new[k]) {
            let known: f64 = (k + 1..count).map(|i| rows[i][k] * shares[i]).sum();
            shares[k] = (rows[count][k] - known) / rows[k][k];
        }
        self.weights.clear();
        self.weights.push(1.0 - shares.iter().sum::<f64>());
        self.weights.extend(shares);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solvers::vector::norm;

    /// `r = b − A x`, eigenvalues of A from 0.01 to 2.5: full steps diverge.
    fn step(x: &[f64]) -> Vec<f64> {
        let scales = [0.01, 0.3, 1.0, 2.0, 2.5];
        let mean = x.iter().sum::<f64>() / 5.0;
        (0..5).map(|i| 1.0 + i as f64 - scales[i] * (x[i] + 0.1 * mean)).collect()
    }

    #[test]
    fn linear_steps_converge_after_as_many_as_there_are_dimensions() {
        let (mut mixing, mut x) = (Mixing::new(5), vec![0.0; 5]);
        for _ in 0..6 {
            let r = step(&x);
            let plain: Vec<f64> = x.iter().zip(&r).map(|(x, r)| x + r).collect();
            let next = mixing.propose(x, r).map_or(plain, <[f64]>::to_vec);
            mixing.remember();
            x = next;
        }
        // Points have size 500; inner products have half the digits of steps.
        assert!(norm(&step(&x)) < 1e-6, "{x:?}: {:?}", step(&x));
    }

    #[test]
    fn weights_make_the_mixed_step_shortest() {
        let places = [[0.0; 5], [1.0, -1.0, 2.0, 0.5, 0.0], [0.3, 0.2, 0.1, 0.0, -0.4]];
        let mut mixing = Mixing::new(2);
        for place in &places {
            mixing.propose(place.to_vec(), step(place));
            if place != &places[2] {
                mixing.remember();
            }
        }
        let length = |weights: &[f64]| {
            let steps: Vec<Vec<f64>> = places.iter().rev().map(|place| step(place)).collect();
            let mixed = (0..5).map(|i| (0..3).map(|j| weights[j] * steps[j][i]).sum::<f64>());
            norm(&mixed.collect::<Vec<f64>>())
        };
        let best = length(mixing.weights());
        assert!((mixing.weights().iter().sum::<f64>() - 1.0).abs() < 1e-14);
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            for move_by in [1e-3, -1e-3, 0.1, -0.1] {
                let mut other = mixing.weights().to_vec();
                other[a] += move_by;
                other[b] -= move_by;
                assert!(length(&other) > best, "{best} at {:?}, {other:?}", mixing.weights());
            }
        }
    }

    #[test]
    fn nothing_is_proposed_from_nothing_or_without_memory() {
        let mut mixing = Mixing::new(0);
        for _ in 0..3 {
            assert!(mixing.propose(vec![1.0], vec![0.5]).is_none() && !mixing.is_mixed());
            mixing.remember();
        }
        let mut mixing = Mixing::new(2);
        mixing.remember();
        assert!(mixing.propose(vec![1.0], vec![0.5]).is_none());
        mixing.remember();
        // The same point again adds nothing: full step.
        assert_eq!(mixing.propose(vec![1.0], vec![0.5]), Some(&[1.5][..]));
        mixing.forget();
        assert!(mixing.propose(vec![1.0], vec![0.5]).is_none());
        mixing.remember();
        mixing.remember();
        // Points that overflow are not proposed.
        assert!(mixing.propose(vec![1e308], vec![1e308]).is_none() && !mixing.is_mixed());
    }
}
