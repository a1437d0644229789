//! Rows whose values of one group of inputs come from other rows.

use faer::{Mat, MatRef};
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// Minimum block: two values at two other rows.
pub(super) const MIN_BLOCK: usize = 4;

/// Random blocks of rows, which exchange all values of a group of inputs.
pub(super) struct Crossing<'a> {
    x: MatRef<'a, f64>,
    pub(super) blocks: Vec<Vec<usize>>,
    group: Range<usize>,
}

impl<'a> Crossing<'a> {
    /// Largest equal blocks with about `points` points in all.
    pub(super) fn new(
        x: MatRef<'a, f64>,
        rows: &[usize],
        group: Range<usize>,
        points: usize,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let mut order = rows.to_vec();
        order.shuffle(rng);
        let all = order.len();
        let most = (points / all.max(1)).max(MIN_BLOCK);
        let count = all.div_ceil(most).min(all / MIN_BLOCK).max(1);
        let block = |b: usize| order[b * all / count..(b + 1) * all / count].to_vec();
        Self { x, blocks: (0..count).map(block).collect(), group }
    }

    /// Points by block, row, then row that gives the values.
    pub(super) fn points(&self) -> Mat<f64> {
        let pairs = self.blocks.iter().flat_map(|block| {
            block.iter().flat_map(move |&row| block.iter().map(move |&giver| (row, giver)))
        });
        let pairs: Vec<(usize, usize)> = pairs.collect();
        Mat::from_fn(pairs.len(), self.x.ncols(), |i, d| {
            let (row, giver) = pairs[i];
            self.x[(if self.group.contains(&d) { giver } else { row }, d)]
        })
    }
}

pub(super) fn some_rows(count: usize, most: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    let mut rows = rand::seq::index::sample(rng, count, most).into_vec();
    rows.sort_unstable();
    rows
}
