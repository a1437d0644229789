//! Schedules of mini-batches.

mod order;

use super::error::OptimError;
use order::{Blocks, shuffle};
use serde::{Deserialize, Serialize};

/// Terms and weight of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Batch<'a> {
    /// Term indices, in summation order.
    pub indices: &'a [usize],
    /// `N / indices.len()`
    pub weight: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Order {
    Shuffled,
    Blocks { len: usize },
    InSequence,
}

/// Epochs over N terms, in batches. Orders depend on seed and epoch only.
///
/// ```
/// use gp_optim::Batches;
///
/// let mut batches = Batches::shuffled(5, 2, 7)?;
/// let epoch: Vec<(usize, f64)> = (0..3)
///     .map(|_| {
///         let batch = batches.draw();
///         (batch.indices.len(), batch.weight)
///     })
///     .collect();
/// assert_eq!(epoch, [(2, 2.5), (2, 2.5), (1, 5.0)]);
/// assert!(batches.ends_epoch());
/// # Ok::<(), gp_optim::OptimError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batches {
    terms: usize,
    size: usize,
    order: Order,
    seed: u64,
    epoch: u64,
    position: usize,
    #[serde(skip)]
    cache: Cache,
}

#[derive(Clone, Debug, Default)]
struct Cache {
    indices: Vec<usize>,
    epoch: Option<u64>,
    blocks: Option<Blocks>,
}

impl Batches {
    /// Random order per epoch. Memory: N indices.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`] for zero `terms` or `size`.
    pub fn shuffled(terms: usize, size: usize, seed: u64) -> Result<Self, OptimError> {
        Self::build(terms, size, seed, Order::Shuffled)
    }

    /// Shuffled blocks of `len` terms, shuffled within, for data stored in blocks.
    ///
    /// Unbiased; noisier than [`Batches::shuffled`] if blocks are homogeneous. Memory: N / `len` + `len` indices.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`] for zero `terms`, `size` or `len`.
    pub fn in_blocks(terms: usize, size: usize, len: usize, seed: u64) -> Result<Self, OptimError> {
        at_least_one("len", len)?;
        Self::build(terms, size, seed, Order::Blocks { len })
    }

    /// Stored order; unbiased for random data. Memory: one batch.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`] for zero `terms` or `size`.
    pub fn in_sequence(terms: usize, size: usize) -> Result<Self, OptimError> {
        Self::build(terms, size, 0, Order::InSequence)
    }

    /// All terms per batch: exact.
    ///
    /// # Errors
    /// [`OptimError::InvalidOption`] for zero `terms`.
    pub fn whole(terms: usize) -> Result<Self, OptimError> {
        Self::build(terms, terms, 0, Order::InSequence)
    }

    fn build(terms: usize, size: usize, seed: u64, order: Order) -> Result<Self, OptimError> {
        at_least_one("terms", terms)?;
        at_least_one("size", size)?;
        Ok(Self { terms, size, order, seed, epoch: 0, position: 0, cache: Cache::default() })
    }

    /// Terms per full batch.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size.min(self.terms)
    }

    /// Number N of terms.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.terms
    }

    /// Batches per epoch.
    #[must_use]
    pub fn per_epoch(&self) -> usize {
        self.terms.div_ceil(self.size.max(1))
    }

    /// `true` if every batch has all terms.
    #[must_use]
    pub fn are_whole(&self) -> bool {
        self.size >= self.terms
    }

    /// Epoch of the last batch, from 0.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// `true` after an epoch's last batch.
    #[must_use]
    pub fn ends_epoch(&self) -> bool {
        self.position >= self.terms
    }

    pub(super) fn last_len(&self) -> usize {
        // All batches but the last of an epoch are full.
        if self.ends_epoch() {
            self.terms.saturating_sub(self.per_epoch().saturating_sub(1) * self.size)
        } else {
            self.size
        }
    }

    /// Draws the next batch.
    pub fn draw(&mut self) -> Batch<'_> {
        if self.ends_epoch() {
            self.position = 0;
            self.epoch += 1;
        }
        let start = self.position;
        let end = self.terms.min(start.saturating_add(self.size));
        self.position = end;
        let indices = match self.order {
            Order::Shuffled => self.cache.shuffled(self.terms, self.seed, self.epoch, start..end),
            Order::InSequence => self.cache.refill(start..end),
            Order::Blocks { len } => {
                let blocks = self.cache.blocks.get_or_insert_default();
                blocks.enter_epoch(self.terms, len, self.seed, self.epoch);
                let at = (start..end).map(|place| blocks.term_at(place));
                self.cache.indices.clear();
                self.cache.indices.extend(at);
                &self.cache.indices
            }
        };
        Batch { indices, weight: ratio(self.terms, indices.len()) }
    }
}

impl Cache {
    fn shuffled(&mut self, terms: usize, seed: u64, epoch: u64, at: std::ops::Range<usize>) -> &[usize] {
        if self.epoch != Some(epoch) {
            // From the identity: an epoch must not depend on earlier ones.
            self.refill(0..terms);
            shuffle(&mut self.indices, seed, epoch, 0);
            self.epoch = Some(epoch);
        }
        self.indices.get(at).unwrap_or_default()
    }

    fn refill(&mut self, indices: std::ops::Range<usize>) -> &[usize] {
        let unchanged = self.indices.len() == indices.len() && self.indices.first() == Some(&indices.start);
        // Fills again unless it holds this range; shuffled orders do not.
        if !unchanged || self.epoch.is_some() {
            self.indices.clear();
            self.indices.extend(indices);
        }
        &self.indices
    }
}

#[expect(clippy::cast_precision_loss, reason = "no table has 2⁵³ rows")]
fn ratio(terms: usize, drawn: usize) -> f64 {
    terms as f64 / drawn as f64
}

#[expect(clippy::cast_precision_loss, reason = "a count of 0 is shown, not computed with")]
fn at_least_one(name: &'static str, count: usize) -> Result<(), OptimError> {
    if count >= 1 {
        return Ok(());
    }
    Err(OptimError::InvalidOption { name, value: count as f64, allowed: "at least 1" })
}
