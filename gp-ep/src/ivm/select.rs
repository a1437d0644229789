//! Choice among candidates.

use super::options::IvmOptions;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Reason for choosing a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Random first point of a class.
    First,
    /// Best score.
    Score,
    /// Drawn under [`Selection::Random`](super::Selection::Random).
    Drawn,
}

#[derive(Clone, Debug)]
pub(super) struct Selector {
    pub(super) rng: ChaCha8Rng,
    available: Vec<usize>,
    retained: Vec<usize>,
    retained_count: usize,
    count: usize,
}

impl Selector {
    pub(super) fn new(options: &IvmOptions, points: usize, count: usize) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(options.seed),
            available: (0..points).collect(),
            retained: Vec::new(),
            retained_count: (options.retained * count as f64) as usize,
            count,
        }
    }

    pub(super) fn draw(&mut self, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let among: Vec<usize> = self.available.iter().copied().filter(|&row| wanted(row)).collect();
        if among.is_empty() { None } else { Some(among[self.rng.random_range(0..among.len())]) }
    }

    pub(super) fn candidates(&mut self) -> Vec<usize> {
        if self.count >= self.available.len() {
            let mut all = self.available.clone();
            all.sort_unstable();
            return all;
        }
        let mut chosen = self.retained.clone();
        chosen.sort_unstable();
        let kept = chosen.clone();
        let mut next = 0;
        while chosen.len() < self.count && next < self.available.len() {
            let other = self.rng.random_range(next..self.available.len());
            self.available.swap(next, other);
            let row = self.available[next];
            if kept.binary_search(&row).is_err() {
                chosen.push(row);
            }
            next += 1;
        }
        chosen
    }

    pub(super) fn remove(&mut self, row: usize) {
        self.available.retain(|&other| other != row);
        self.retained.retain(|&other| other != row);
    }

    pub(super) fn retain(&mut self, order: impl Iterator<Item = usize>) {
        self.retained = order.take(self.retained_count).collect();
    }
}

/// Scored candidates, best first; ties by row.
pub(super) fn ranked<T: Copy>(rows: &[usize], scores: &[Option<(T, f64)>]) -> Vec<(usize, T, f64)> {
    let scored =
        |(&row, score): (&usize, &Option<(T, f64)>)| score.map(|(target, score)| (row, target, score));
    let mut found: Vec<_> = rows.iter().zip(scores).filter_map(scored).collect();
    found.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    found
}

pub(super) fn entropy(probabilities: &[f64]) -> f64 {
    -probabilities.iter().filter(|p| **p > 0.0).map(|p| p * p.ln()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_distinct_and_keep_the_best() {
        let options = IvmOptions { retained: 0.5, ..IvmOptions::default() };
        let mut selector = Selector::new(&options, 100, 20);
        selector.remove(7);
        selector.retain([3, 50, 99, 4, 5, 6, 8, 9, 10, 11, 12, 13].into_iter());
        selector.remove(99);
        for _ in 0..50 {
            let mut rows = selector.candidates();
            assert!([3, 50, 4, 5].iter().all(|kept| rows.contains(kept)) && !rows.contains(&7));
            assert!(!rows.contains(&99) || rows.len() == 20);
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), 20);
        }
    }

    #[test]
    fn ties_go_to_the_first_row() {
        let ranking = ranked(&[9, 4, 7, 1], &[Some(((), 1.0)), Some(((), 2.0)), None, Some(((), 2.0))]);
        assert_eq!(ranking, [(1, (), 2.0), (4, (), 2.0), (9, (), 1.0)]);
        assert!((entropy(&[0.5, 0.5, 0.0]) - 2f64.ln()).abs() < 1e-15);
    }
}
