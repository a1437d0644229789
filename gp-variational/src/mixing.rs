//! Where steps that were taken lead to: Anderson's mixing of the last few.
//!
//! A whole step leads from `x_j` by `r_j`, which is nothing at rest. Among the combinations of places with weights θ
//! that sum to 1, the one with the shortest `Σ θ_j r_j` is nearest to rest as far as can be told, and
//! `Σ θ_j (x_j + r_j)` is where it leads. Latent functions that share observations overshoot together, or creep
//! together, when each takes a whole step of its own; a few steps show which, and this takes it out.

use std::collections::VecDeque;

/// A change of r counts as new where at least this share of it is not a combination of others.
const NEW: f64 = 1e-6;

/// A place and where a whole step would lead from it, or a difference of two.
#[derive(Clone, Debug, Default)]
struct Pair {
    place: Vec<f64>,
    step: Vec<f64>,
}

impl Pair {
    /// `self ← self − by · other`
    fn take(&mut self, by: f64, other: &Self) {
        let take = |from: &mut [f64], what: &[f64]| {
            from.iter_mut().zip(what).for_each(|(x, y)| *x -= by * y);
        };
        take(&mut self.place, &other.place);
        take(&mut self.step, &other.step);
    }

    fn scale(&mut self, by: f64) {
        self.place.iter_mut().chain(&mut self.step).for_each(|x| *x *= by);
    }
}

/// The last few places, and the attempt that is being made.
#[derive(Debug)]
pub(crate) struct Mixing {
    memory: usize,
    /// The newest first.
    past: VecDeque<Pair>,
    here: Pair,
    mixed: Vec<f64>,
    is_mixed: bool,
}

impl Mixing {
    /// That remembers so many places.
    pub(crate) fn new(memory: usize) -> Self {
        let (past, here) = (VecDeque::new(), Pair::default());
        Self { memory, past, here, mixed: Vec::new(), is_mixed: false }
    }

    /// Where to go, when a whole step would lead from `place` by `step`: nowhere in particular where nothing is
    /// remembered, or what is leads beyond all numbers.
    pub(crate) fn propose(&mut self, place: Vec<f64>, step: Vec<f64>) -> Option<&[f64]> {
        self.here = Pair { place, step };
        self.is_mixed = !self.past.is_empty();
        if !self.is_mixed {
            return None;
        }
        // Least squares by Gram–Schmidt on the changes of r; the changes of x go with them.
        let (mut rest, mut changes) = (self.here.clone(), Vec::<Pair>::with_capacity(self.past.len()));
        for before in &self.past {
            let mut change = self.here.clone();
            change.take(1.0, before);
            let whole = norm(&change.step);
            for other in &changes {
                change.take(dot(&other.step, &change.step), other);
            }
            let new = norm(&change.step);
            if new > NEW * whole {
                change.scale(1.0 / new);
                rest.take(dot(&change.step, &rest.step), &change);
                changes.push(change);
            }
        }
        self.mixed.clear();
        self.mixed.extend(rest.place.iter().zip(&rest.step).map(|(x, r)| x + r));
        self.is_mixed = self.mixed.iter().all(|x| x.is_finite());
        self.is_mixed.then_some(&self.mixed[..])
    }

    /// Whether something was proposed since places were remembered or forgotten.
    pub(crate) fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// Remembers the place that the last proposal set out from.
    pub(crate) fn remember(&mut self) {
        self.past.push_front(std::mem::take(&mut self.here));
        self.past.truncate(self.memory);
        self.is_mixed = false;
    }

    /// Begins anew.
    pub(crate) fn forget(&mut self) {
        self.past.clear();
        self.is_mixed = false;
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `r = b − A x` with eigenvalues of A between 0.01 and 2.5, so that whole steps alone move away from rest.
    fn step(x: &[f64]) -> Vec<f64> {
        let scales = [0.01, 0.3, 1.0, 2.0, 2.5];
        let mean = x.iter().sum::<f64>() / 5.0;
        (0..5).map(|i| 1.0 + i as f64 - scales[i] * (x[i] + 0.1 * mean)).collect()
    }

    #[test]
    fn linear_steps_are_at_rest_after_as_many_as_there_are_dimensions() {
        let (mut mixing, mut x) = (Mixing::new(5), vec![0.0; 5]);
        for _ in 0..6 {
            let r = step(&x);
            let plain: Vec<f64> = x.iter().zip(&r).map(|(x, r)| x + r).collect();
            let next = mixing.propose(x, r).map_or(plain, <[f64]>::to_vec);
            mixing.remember();
            x = next;
        }
        assert!(norm(&step(&x)) < 1e-9, "{x:?}");
    }

    #[test]
    fn nothing_is_proposed_from_nothing_or_without_memory() {
        let mut mixing = Mixing::new(0);
        for _ in 0..3 {
            assert!(mixing.propose(vec![1.0], vec![0.5]).is_none() && !mixing.is_mixed());
            mixing.remember();
        }
        let mut mixing = Mixing::new(2);
        assert!(mixing.propose(vec![1.0], vec![0.5]).is_none());
        mixing.remember();
        // The same place once more says nothing new: a whole step it is.
        assert_eq!(mixing.propose(vec![1.0], vec![0.5]), Some(&[1.5][..]));
        mixing.forget();
        assert!(mixing.propose(vec![1.0], vec![0.5]).is_none());
        mixing.remember();
        // Nearly the same step from far away is taken to lead out of reach.
        assert!(mixing.propose(vec![1e300], vec![0.5 - 1e-15]).is_none() && !mixing.is_mixed());
    }
}
