//! Convergence test for mini-batches.
//!
//! Means of blocks of at least twenty batches (whole epochs, if shorter) are tested for a trend (Mann 1945, Kendall) in
//! two windows: the last twenty blocks, and the last half of the run, averaged to twenty means. Without a trend,
//! `S = Σ_{i<j} sign(y_j − y_i)` has mean 0 and variance `n(n − 1)(2n + 5)/18`, for any noise. The objective still
//! moves if, in one window, S is beyond a 5 % point and the halves differ by more than the tolerance.
//!
//! A change by three standard deviations of a mean over a window is detected with probability 0.9, a steady change
//! always.

use serde::{Deserialize, Serialize};

/// Number of blocks compared.
const BLOCKS: usize = 20;
const BATCHES: u64 = 20;
/// Upper 5 % point of the standard normal.
const LEVEL: f64 = 1.644_853_626_951_472_7;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Settled {
    /// `Σ value · terms` and `Σ terms`.
    sum: f64,
    terms: f64,
    drawn: u64,
    means: Vec<f64>,
    idle: u64,
}

impl Settled {
    /// Value and terms; None after failures.
    pub(super) fn batch(&mut self, found: Option<(f64, f64)>) {
        self.drawn += 1;
        if let Some((value, terms)) = found {
            self.sum += value * terms;
            self.terms += terms;
        }
    }

    /// Successive blocks without change.
    pub(super) fn idle(&mut self, per_epoch: u64, tolerance: f64) -> u64 {
        if self.drawn >= block_length(per_epoch) {
            self.close(tolerance);
        }
        self.idle
    }

    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    fn close(&mut self, tolerance: f64) {
        let mean = self.sum / self.terms;
        (self.sum, self.terms, self.drawn) = (0.0, 0.0, 0);
        // Ignores blocks without values or with an infinite sum.
        if !mean.is_finite() {
            return;
        }
        self.means.push(mean);
        if self.means.len() < BLOCKS {
            return;
        }
        let least = tolerance * mean.abs().max(1.0);
        let half = self.means.len() / 2;
        let moves = moves(&self.means, BLOCKS, least) || half > BLOCKS && moves(&self.means, half, least);
        self.idle = if moves { 0 } else { self.idle + 1 };
    }
}

/// `true` if the last `count` ≥ 20 values, averaged to twenty, have a trend and halves `least` apart.
fn moves(values: &[f64], count: usize, least: f64) -> bool {
    let window = &values[values.len() - count..];
    let part = |i: usize| &window[i * count / BLOCKS..(i + 1) * count / BLOCKS];
    let means: Vec<f64> = (0..BLOCKS).map(|i| mean_of(part(i))).collect();
    has_trend(&means) && (mean_of(&means[..BLOCKS / 2]) - mean_of(&means[BLOCKS / 2..])).abs() > least
}

fn block_length(per_epoch: u64) -> u64 {
    let per_epoch = per_epoch.max(1);
    if per_epoch >= BATCHES { BATCHES } else { per_epoch * BATCHES.div_ceil(per_epoch) }
}

#[expect(clippy::cast_precision_loss, reason = "blocks are not that many")]
fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// `true` for a decrease or increase, each at 5 %.
#[expect(clippy::cast_precision_loss, reason = "twenty values have 190 pairs")]
fn has_trend(values: &[f64]) -> bool {
    let mut falls: f64 = 0.0;
    for (i, earlier) in values.iter().enumerate() {
        for later in &values[i + 1..] {
            if later != earlier {
                falls += if later < earlier { 1.0 } else { -1.0 };
            }
        }
    }
    let n = values.len() as f64;
    let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    // Continuity correction: S changes in steps of two.
    falls.abs() - 1.0 > LEVEL * variance.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn noise(rng: &mut ChaCha8Rng) -> f64 {
        (0..12).map(|_| rng.random_range(-0.5..0.5)).sum()
    }

    /// Share of trials with a trend, for this decrease in units of noise.
    fn found(fall: f64, transform: impl Fn(f64) -> f64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let trials = 4000;
        let hits = (0..trials).filter(|_| {
            let values =
                (0..BLOCKS).map(|i| transform(noise(&mut rng) - fall * i as f64 / (BLOCKS - 1) as f64));
            has_trend(&values.collect::<Vec<_>>())
        });
        hits.count() as f64 / f64::from(trials)
    }

    #[test]
    fn chance_is_taken_for_a_trend_once_in_ten_times() {
        // The standard deviation of 10 % of 4000 is 0.0047. Monotone maps keep ranks: heavy tails have no effect.
        for share in [found(0.0, |y| y), found(0.0, |y| y.powi(5))] {
            assert!((share - 0.1).abs() < 0.015, "{share}");
        }
    }

    #[test]
    fn trends_are_found_as_the_documentation_says() {
        assert!(found(3.0, |y| y) > 0.88, "{}", found(3.0, |y| y));
        assert!(found(10.0, |y| y) == 1.0);
        assert!(found(-3.0, |y| y) > 0.88, "{}", found(-3.0, |y| y));
        let steady: Vec<f64> = (0..BLOCKS).map(|i| -(i as f64)).collect();
        assert!(has_trend(&steady) && !has_trend(&[1.0; BLOCKS]));
    }

    #[test]
    fn blocks_are_of_whole_epochs_where_these_are_short() {
        assert_eq!([1, 3, 19, 20, 4000].map(block_length), [20, 21, 38, 20, 20]);
    }

    #[test]
    fn a_fall_within_the_tolerance_is_none() {
        let idle = |slope: f64, tolerance: f64| {
            let mut settled = Settled::default();
            (0..1000)
                .map(|i| {
                    settled.batch(Some((100.0 - slope * f64::from(i), 1.0)));
                    settled.idle(20, tolerance)
                })
                .last()
                .unwrap()
        };
        // Of fifty blocks, the last thirty-one have twenty to compare. A fall of 0.01 per step is 2 between halves.
        assert_eq!((idle(0.01, 1e-2), idle(0.01, 3e-2)), (0, 31));
    }

    /// Block means with noise 0.22 rise by 0.2 each, as in stochastic EP.
    #[test]
    fn a_rise_is_no_end() {
        let (mut rng, mut settled) = (ChaCha8Rng::seed_from_u64(2), Settled::default());
        let idle = (0..1200).map(|i| {
            settled.batch(Some((10.0 + 0.01 * f64::from(i) + noise(&mut rng), 1.0)));
            settled.idle(BATCHES, 1e-4)
        });
        assert!(idle.max().unwrap() < 5);
    }

    /// Twenty blocks hide this decrease in noise; half of a long run shows it.
    #[test]
    fn slow_progress_is_seen_in_a_long_run() {
        let idle = |fall_a_block: f64| {
            let (mut rng, mut settled) = (ChaCha8Rng::seed_from_u64(5), Settled::default());
            let mut longest = 0;
            for block in 0..2000 {
                for _ in 0..BATCHES {
                    settled.batch(Some((noise(&mut rng) - fall_a_block * f64::from(block), 1.0)));
                }
                longest = longest.max(settled.idle(BATCHES, 0.0));
                if block == 1000 {
                    longest = 0;
                }
            }
            longest
        };
        // Block means have noise 0.22. A thousand blocks decrease by 1, twenty by a tenth of the noise.
        assert!(idle(0.001) < 20, "{}", idle(0.001));
        // One test in ten takes noise for a trend; plateaus of twenty blocks, as `gp` requires, are still common.
        assert!(idle(0.0) > 60, "{}", idle(0.0));
    }
}
