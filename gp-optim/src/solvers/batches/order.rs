//! Random orders determined by seed and epoch.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// `part` separates uses within an epoch.
fn generator(seed: u64, epoch: u64, part: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    let words = [seed, epoch, part];
    for (bytes, word) in key.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    ChaCha8Rng::from_seed(key)
}

/// Fisher–Yates shuffle.
pub(super) fn shuffle(indices: &mut [usize], seed: u64, epoch: u64, part: u64) {
    let mut rng = generator(seed, epoch, part);
    for i in (1..indices.len()).rev() {
        indices.swap(i, rng.random_range(0..=i));
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    terms: usize,
    len: usize,
    seed: u64,
    epoch: Option<u64>,
    /// Start of the epoch.
    offset: usize,
    order: Vec<usize>,
    short_at: usize,
    /// Position of the block in `inside`.
    open: Option<usize>,
    inside: Vec<usize>,
}

impl Blocks {
    pub(super) fn enter_epoch(&mut self, terms: usize, len: usize, seed: u64, epoch: u64) {
        if self.epoch == Some(epoch) {
            return;
        }
        (self.terms, self.len, self.seed, self.epoch, self.open) = (terms, len, seed, Some(epoch), None);
        self.offset = generator(seed, epoch, 0).random_range(0..terms.max(1));
        let count = terms.div_ceil(len.max(1));
        self.order.clear();
        self.order.extend(0..count);
        shuffle(&mut self.order, seed, epoch, 1);
        self.short_at = self.order.iter().position(|&block| block + 1 == count).unwrap_or(0);
    }

    pub(super) fn term_at(&mut self, place: usize) -> usize {
        let place = (place + self.offset) % self.terms.max(1);
        let (turn, within) = self.locate(place);
        if self.open != Some(turn) {
            self.open(turn);
        }
        self.inside.get(within).copied().unwrap_or_default()
    }

    fn locate(&self, place: usize) -> (usize, usize) {
        let short = self.terms - (self.order.len() - 1) * self.len;
        let before = self.short_at * self.len;
        if place < before {
            (place / self.len, place % self.len)
        } else if place < before + short {
            (self.short_at, place - before)
        } else {
            let place = place - before - short;
            (self.short_at + 1 + place / self.len, place % self.len)
        }
    }

    fn open(&mut self, turn: usize) {
        let block = self.order.get(turn).copied().unwrap_or_default();
        let start = block * self.len;
        self.inside.clear();
        self.inside.extend(start..self.terms.min(start.saturating_add(self.len)));
        shuffle(&mut self.inside, self.seed, self.epoch.unwrap_or_default(), 2 + block as u64);
        self.open = Some(turn);
    }
}
