//! Candidate periods: Lomb–Scargle peaks, with trend removed.

use super::trend::{Basis, dot};
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Minimum cycles in the range.
const MIN_CYCLES: f64 = 2.75;
const MAX_CYCLES: f64 = 2_000.0;
/// Frequencies per cycle over the range.
const FINENESS: f64 = 4.0;
/// Maximum peaks examined, and candidates.
const PEAKS: usize = 3;
const CANDIDATES: usize = 2;
/// Minimum difference of frequencies, in cycles over the range.
const SAME: f64 = 0.5;
const HARMONICS: usize = 4;
/// Minimum peak above `choice`; noise reaches it with probability e^−4.
const NOTABLE: f64 = 4.0;
const REFINEMENTS: usize = 12;

#[derive(Debug)]
pub(super) struct Series<'a> {
    pub(super) x: &'a [f64],
    pub(super) target: &'a [f64],
    /// Distinct input values, possibly of more rows.
    pub(super) distinct: f64,
    /// Non-seasonal part: trends, other inputs, known seasons.
    pub(super) trend: &'a Basis,
}

impl Series<'_> {
    /// Input range plus one step: twelve months are a year.
    fn range(&self) -> f64 {
        let (low, high) = ends(self.x);
        (high - low) * self.distinct / (self.distinct - 1.0)
    }

    /// Maximum cycles over the range: two points each.
    fn most_cycles(&self) -> f64 {
        (0.5 * self.distinct).min(MAX_CYCLES)
    }

    pub(super) fn shortest_period(&self) -> f64 {
        self.range() / self.most_cycles()
    }

    /// Log number of distinguishable frequencies.
    pub(super) fn choice(&self) -> f64 {
        (self.most_cycles() - MIN_CYCLES).max(1.0).ln()
    }

    /// Candidate periods, likeliest first; empty without notable peaks.
    pub(super) fn candidates(&self) -> Vec<f64> {
        let (rest, range) = (self.trend.rest(self.target), self.range());
        let first = MIN_CYCLES * FINENESS;
        let count = (self.most_cycles() * FINENESS - first).ceil().max(0.0) as usize;
        let power = |cycles: f64| self.gain(&rest, range / cycles, 1);
        let at = |place: usize| (first + place as f64) / FINENESS;
        let powers: Vec<f64> = (0..count).into_par_iter().map(|place| power(at(place))).collect();
        let mut peaks: Vec<usize> = (0..count).filter(|&place| is_peak(&powers, place)).collect();
        peaks.sort_by(|&a, &b| powers[b].total_cmp(&powers[a]));
        peaks.retain(|&place| powers[place] > self.choice() + NOTABLE);
        let peaks = peaks.into_iter().take(PEAKS).map(|place| refined(at(place), &power));
        let mut scored: Vec<(f64, f64)> =
            peaks.filter_map(|cycles| self.fundamental(&rest, cycles)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut found: Vec<f64> = Vec::new();
        for (_, cycles) in scored {
            // Several harmonics lead to the same season.
            if found.iter().all(|known| (known - cycles).abs() > SAME) {
                found.push(cycles);
            }
        }
        found.into_iter().take(CANDIDATES).map(|cycles| range / cycles).collect()
    }

    /// Score and cycles of a season of one to three times the peak's period.
    fn fundamental(&self, rest: &[f64], cycles: f64) -> Option<(f64, f64)> {
        let several = [1.0, 2.0, 3.0].map(|times| cycles / times).into_iter();
        let scored = several
            .filter(|&cycles| cycles >= MIN_CYCLES)
            .map(|cycles| (self.score(rest, self.range() / cycles), cycles));
        scored.max_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn score(&self, rest: &[f64], period: f64) -> f64 {
        let cost = (self.x.len() as f64).ln();
        let most = ((period / self.range() * self.most_cycles()) as usize).clamp(1, HARMONICS);
        let of = |count: usize| self.gain(rest, period, count) - cost * count as f64;
        (1..=most).map(of).fold(f64::NEG_INFINITY, f64::max)
    }

    fn gain(&self, rest: &[f64], period: f64, count: usize) -> f64 {
        let total = dot(rest, rest);
        let left = total - self.trend.gain(rest, harmonics(self.x, period, count));
        0.5 * rest.len() as f64 * (total / left.max(f64::EPSILON * total)).ln()
    }
}

pub(super) fn harmonics(x: &[f64], period: f64, count: usize) -> Vec<Vec<f64>> {
    let wave = |turn: fn(f64) -> f64, k: usize| x.iter().map(|x| turn(TAU * k as f64 * x / period)).collect();
    (1..=count).flat_map(|k| [wave(f64::cos, k), wave(f64::sin, k)]).collect()
}

pub(super) fn ends(x: &[f64]) -> (f64, f64) {
    x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &x| (low.min(x), high.max(x)))
}

fn is_peak(powers: &[f64], place: usize) -> bool {
    let before = place.checked_sub(1).map_or(f64::NEG_INFINITY, |before| powers[before]);
    let after = powers.get(place + 1).copied().unwrap_or(f64::NEG_INFINITY);
    before < powers[place] && powers[place] >= after
}

fn refined(cycles: f64, power: &impl Fn(f64) -> f64) -> f64 {
    let (mut best, mut step) = ((power(cycles), cycles), 0.5 / FINENESS);
    for _ in 0..REFINEMENTS {
        for near in [best.1 - step, best.1 + step] {
            let here = power(near);
            if here > best.0 {
                best = (here, near);
            }
        }
        step *= 0.5;
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn candidates(x: &[f64], target: &[f64]) -> Vec<f64> {
        let mut trend = Basis::default();
        trend.push(vec![1.0; x.len()]);
        trend.push(x.to_vec());
        Series { x, target, distinct: x.len() as f64, trend: &trend }.candidates()
    }

    #[test]
    fn a_sine_has_its_period() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut error = || rng.random::<f64>() - 0.5;
        let x: Vec<f64> = (0..144).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| 0.05 * x + (TAU * x / 12.0).sin() + error()).collect();
        let found = candidates(&x, &y);
        assert!((found[0] - 12.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn a_shape_of_harmonics_has_the_period_of_all() {
        let x: Vec<f64> = (0..200).map(|i| f64::from(i) + 0.3 * f64::from(i * 7 % 5)).collect();
        let y: Vec<f64> =
            x.iter().map(|x| 0.4 * (TAU * x / 30.0).cos() + (2.0 * TAU * x / 30.0).sin()).collect();
        let found = candidates(&x, &y);
        assert!((found[0] - 30.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn noise_has_none_most_of_the_time() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let x: Vec<f64> = (0..150).map(f64::from).collect();
        let noisy = (0..100).filter(|_| {
            let y: Vec<f64> = x.iter().map(|_| rng.random::<f64>()).collect();
            !candidates(&x, &y).is_empty()
        });
        // e^−4 times about 3 (peaks between frequencies count too): about 6 of 100, plus three standard errors.
        let noisy = noisy.count();
        assert!(noisy < 14, "{noisy} of 100");
    }
}
