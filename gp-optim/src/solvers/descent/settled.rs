//! When an objective that is seen through batches no longer improves within its noise.
//!
//! Values of single batches scatter, so means of blocks of some twenty batches are looked at (of whole epochs, where
//! these are shorter), by the test of Mann (1945) and Kendall for a trend. Progress becomes slow: it is looked for in the
//! last twenty blocks, and again in the last half of the run where that is longer, in twenty means of its blocks. The test
//! counts how many pairs of blocks are in falling and how many in rising order: `S = Σ_{i<j} sign(y_j − y_i)`, which without a
//! trend has mean 0 and variance `n(n − 1)(2n + 5)/18` whatever the distribution of the noise, outliers and all. As
//! long as, in one of the two windows, S is so far below 0 as chance brings it once in twenty times, and the newer half
//! lies below the older one by more than the tolerance, the objective falls.
//!
//! An objective that falls over a window by three standard deviations of one of its twenty means is found to fall nine
//! times in ten; a steady fall that is larger than the scatter, always.

use serde::{Deserialize, Serialize};

/// Blocks that are looked at together.
const BLOCKS: usize = 20;
/// Batches in a block, at least.
const BATCHES: u64 = 20;
/// The upper 5 % point of the standard normal distribution.
const LEVEL: f64 = 1.644_853_626_951_472_7;

/// The blocks of batches so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Settled {
    /// Σ value · terms and Σ terms over the batches of this block that could be evaluated.
    sum: f64,
    terms: f64,
    drawn: u64,
    means: Vec<f64>,
    /// Blocks in a row after which the objective was not found to fall.
    idle: u64,
}

impl Settled {
    /// Adds a batch with its value and its number of terms, or one that could not be evaluated.
    pub(super) fn batch(&mut self, found: Option<(f64, f64)>) {
        self.drawn += 1;
        if let Some((value, terms)) = found {
            self.sum += value * terms;
            self.terms += terms;
        }
    }

    /// Ends a block if it is one, and tells how many in a row did not find the objective falling.
    pub(super) fn idle(&mut self, per_epoch: u64, tolerance: f64) -> u64 {
        if self.drawn >= block_length(per_epoch) {
            self.close(tolerance);
        }
        self.idle
    }

    /// Begins anew: with other parameters everything may improve again.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    fn close(&mut self, tolerance: f64) {
        let mean = self.sum / self.terms;
        (self.sum, self.terms, self.drawn) = (0.0, 0.0, 0);
        // A block without a single value, or with values whose sum overflows, says nothing.
        if !mean.is_finite() {
            return;
        }
        self.means.push(mean);
        if self.means.len() < BLOCKS {
            return;
        }
        let least = tolerance * mean.abs().max(1.0);
        let half = self.means.len() / 2;
        let falls = falls(&self.means, BLOCKS, least) || half > BLOCKS && falls(&self.means, half, least);
        self.idle = if falls { 0 } else { self.idle + 1 };
    }
}

/// Whether so many last values, twenty or more, fall in twenty means, and by more than `least` from half to half.
fn falls(values: &[f64], count: usize, least: f64) -> bool {
    let window = &values[values.len() - count..];
    let part = |i: usize| &window[i * count / BLOCKS..(i + 1) * count / BLOCKS];
    let means: Vec<f64> = (0..BLOCKS).map(|i| mean_of(part(i))).collect();
    decreases(&means) && mean_of(&means[..BLOCKS / 2]) - mean_of(&means[BLOCKS / 2..]) > least
}

/// Batches in a block: whole epochs, where these are shorter.
fn block_length(per_epoch: u64) -> u64 {
    let per_epoch = per_epoch.max(1);
    if per_epoch >= BATCHES { BATCHES } else { per_epoch * BATCHES.div_ceil(per_epoch) }
}

#[expect(clippy::cast_precision_loss, reason = "blocks are not that many")]
fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Whether values fall in their order, by more than chance has it once in twenty times.
#[expect(clippy::cast_precision_loss, reason = "twenty values have 190 pairs")]
fn decreases(values: &[f64]) -> bool {
    let mut falls = 0.0;
    for (i, earlier) in values.iter().enumerate() {
        for later in &values[i + 1..] {
            if later != earlier {
                falls += if later < earlier { 1.0 } else { -1.0 };
            }
        }
    }
    let n = values.len() as f64;
    let variance = n * (n - 1.0) * (2.0 * n + 5.0) / 18.0;
    // S moves in steps of two: half of one is the correction for continuity.
    falls - 1.0 > LEVEL * variance.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Sums of twelve uniform numbers: mean 0, variance 1.
    fn noise(rng: &mut ChaCha8Rng) -> f64 {
        (0..12).map(|_| rng.random_range(-0.5..0.5)).sum()
    }

    /// How often twenty values with this fall from the first to the last, in units of their noise, are found to fall.
    fn found(fall: f64, transform: impl Fn(f64) -> f64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let trials = 4000;
        let hits = (0..trials).filter(|_| {
            let values =
                (0..BLOCKS).map(|i| transform(noise(&mut rng) - fall * i as f64 / (BLOCKS - 1) as f64));
            decreases(&values.collect::<Vec<_>>())
        });
        hits.count() as f64 / f64::from(trials)
    }

    #[test]
    fn chance_is_taken_for_a_fall_once_in_twenty_times() {
        // Standard deviation of a share of 5 % of 4000: 0.0034. Orders do not see monotone maps: heavy tails are the
        // same as none.
        for share in [found(0.0, |y| y), found(0.0, |y| y.powi(5))] {
            assert!((share - 0.05).abs() < 0.012, "{share}");
        }
    }

    #[test]
    fn falls_are_found_as_the_documentation_says() {
        assert!(found(3.0, |y| y) > 0.88, "{}", found(3.0, |y| y));
        assert!(found(10.0, |y| y) == 1.0);
        assert!(found(-3.0, |y| y) == 0.0);
        let steady: Vec<f64> = (0..BLOCKS).map(|i| -(i as f64)).collect();
        assert!(decreases(&steady) && !decreases(&[1.0; BLOCKS]));
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
        // Fifty blocks, of which the last thirty-one have twenty to look at; a hundredth a step is two over half of them.
        assert_eq!((idle(0.01, 1e-2), idle(0.01, 3e-2)), (0, 31));
    }

    /// A fall that twenty blocks do not show, in their noise, shows over half of a long run; noise alone does not.
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
        // Means of blocks scatter by 0.22; a thousand blocks fall by 1, twenty by a tenth of the scatter.
        assert!(idle(0.001) < 20, "{}", idle(0.001));
        assert!(idle(0.0) > 100, "{}", idle(0.0));
    }
}
