//! What a forward pass keeps of its tiles for the reverse pass of the same pair.
//!
//! What is kept is a hint and never an authority: it bears a [`stamp`] of the points and parameters that it was made
//! from, and what does not bear the present one is made again. So a reverse pass gives the same gradients whatever it
//! is handed; only how long it takes differs.

use std::sync::{Mutex, PoisonError};

use gp_linalg::vector::dispatch;
use gp_optim::Parameter;
use pulp::{Simd, WithSimd};

use crate::kernel::{Pair, Points, point};

/// Room for what is kept of the tiles of one matrix, from a forward pass to the reverse pass that belongs to it.
///
/// A kernel in terms of distances keeps them, a number for every entry of the matrix, and in high dimension the scaled
/// points: of the same order of size as matrix and points together. For a few hundred points by a few hundred that is
/// well spent; for all data at once it is not, therefore the limit.
#[derive(Debug, Default)]
pub struct Kept {
    limit: usize,
    /// Tiles are worked on by different threads, no two by the same at once.
    tiles: Vec<Mutex<Vec<f64>>>,
}

impl Kept {
    /// Room for nothing.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Room for as much as a matrix needs, if that is no more than so many numbers; otherwise for nothing.
    pub fn up_to(limit: usize) -> Self {
        Self { limit, tiles: Vec::new() }
    }

    /// Makes room for tiles that keep this much each. What is there already stays, where sizes do.
    pub(crate) fn prepare(&mut self, sizes: impl Iterator<Item = usize> + Clone) {
        let total = sizes.clone().fold(0, usize::saturating_add);
        let count = if total == 0 || total > self.limit { 0 } else { sizes.clone().count() };
        self.tiles.resize_with(count, Mutex::default);
        for (tile, size) in self.tiles.iter_mut().zip(sizes) {
            let tile = tile.get_mut().unwrap_or_else(PoisonError::into_inner);
            if tile.len() != size {
                tile.clear();
                tile.resize(size, 0.0);
            }
        }
    }

    /// Lends what was kept of a tile, if that is `size` numbers; otherwise nothing.
    pub(crate) fn with<R>(&self, tile: usize, size: usize, body: impl FnOnce(&mut [f64]) -> R) -> R {
        let Some(tile) = self.tiles.get(tile) else { return body(&mut []) };
        let mut tile = tile.lock().unwrap_or_else(PoisonError::into_inner);
        if tile.len() == size { body(&mut tile) } else { body(&mut []) }
    }
}

/// A copy has the same limit, and nothing in it yet.
impl Clone for Kept {
    fn clone(&self) -> Self {
        Self::up_to(self.limit)
    }
}

/// Cuts the next `len` numbers off what is left of `kept`, or none where nothing is kept: how a node deals to children.
pub fn split_kept<'k>(rest: &mut &'k mut [f64], len: usize) -> &'k mut [f64] {
    let all = std::mem::take(rest);
    let (front, back) = all.split_at_mut(len.min(all.len()));
    *rest = back;
    front
}

/// What tells points and parameters from others: a whole number below 2⁵³, never zero, that depends on every bit of
/// them, on the order they come in, on the shape of the tile and on the name of who keeps it.
///
/// Different ones agree by chance once in 2⁵³.
pub fn stamp(keeper: &str, params: &[Parameter], pair: Pair<'_>) -> f64 {
    let mut state = [0_u64; STATES];
    let shape = pair.shape();
    for byte in keeper.bytes() {
        state[0] = mix(state[0], byte.into());
    }
    for part in [shape.rows, shape.cols, shape.dim, usize::from(shape.same), params.len()] {
        state[0] = mix(state[0], part as u64);
    }
    for parameter in params {
        state[0] = mix(state[0], parameter.len() as u64);
        hash(parameter.values(), &mut state);
    }
    dispatch(HashTable { points: pair.rows, state: &mut state });
    // Of a pair of the same points the columns are among the rows.
    if !(pair.same && shape.cols <= shape.rows) {
        dispatch(HashTable { points: pair.cols, state: &mut state });
    }
    let all = state.iter().fold(0, |all, state| mix(mix(all, *state), all >> 29));
    ((all >> 11) | 1) as f64
}

/// Chains of hashing that run side by side: 32 keep vector units busy in spite of a chain's latency.
const STATES: usize = 32;

/// One step of a chain: another 64 bits into the state, multiplied by a constant modulo a number just below 2⁶⁴
/// (multiply with carry), which takes one vector multiplication of halves.
#[inline(always)]
fn mix(state: u64, bits: u64) -> u64 {
    const MULTIPLIER: u64 = 4_294_883_355;
    let state = state ^ bits;
    (state & 0xffff_ffff) * MULTIPLIER + (state >> 32)
}

#[inline(always)]
fn hash(numbers: &[f64], state: &mut [u64; STATES]) {
    let (chunks, rest) = numbers.as_chunks::<STATES>();
    for chunk in chunks {
        for l in 0..STATES {
            state[l] = mix(state[l], chunk[l].to_bits());
        }
    }
    for (state, number) in state.iter_mut().zip(rest) {
        *state = mix(*state, number.to_bits());
    }
}

struct HashTable<'a> {
    points: Points<'a>,
    state: &'a mut [u64; STATES],
}

impl WithSimd for HashTable<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let mut state = *self.state;
        for i in 0..self.points.nrows() {
            hash(point(self.points, i), &mut state);
        }
        *self.state = state;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views;
    use gp_optim::Transform;
    use std::collections::HashSet;

    #[test]
    fn stamps_tell_every_change() -> Result<(), gp_optim::ParameterError> {
        // 512 numbers a point, so that points begin in the same chain.
        let (m, n, dim) = (5, 3, 512);
        let numbers: Vec<f64> = (0..(m + n) * dim).map(|i| (i as f64).sin()).collect();
        let one = |value: f64| Parameter::scalar("lengthscale", value, Transform::Positive);
        let of = |numbers: &[f64], name: &str, params: &[Parameter], same: bool| {
            let (rows, cols) = numbers.split_at(m * dim);
            let pair = Pair { rows: views::points(rows, m, dim), cols: views::points(cols, n, dim), same };
            stamp(name, params, pair)
        };
        let mut seen = HashSet::new();
        let mut all = 0;
        let mut note = |stamp: f64| {
            assert!(stamp >= 1.0 && stamp < (1_u64 << 53) as f64 && stamp.fract() == 0.0);
            seen.insert(stamp.to_bits());
            all += 1;
        };
        note(of(&numbers, "a", &[one(1.0)?], false));
        note(of(&numbers, "b", &[one(1.0)?], false));
        note(of(&numbers, "a", &[one(1.0 + f64::EPSILON)?], false));
        note(of(&numbers, "a", &[one(1.0)?, one(1.0)?], false));
        note(of(&numbers, "a", &[one(1.0)?], true));
        for i in (0..numbers.len()).step_by(7) {
            let mut changed = numbers.clone();
            changed[i] = changed[i].next_up();
            note(of(&changed, "a", &[one(1.0)?], false));
        }
        for (i, j) in [(0, 1), (0, 4), (2, 3), (4, 5), (6, 7)] {
            let mut swapped = numbers.clone();
            (0..dim).for_each(|d| swapped.swap(i * dim + d, j * dim + d));
            note(of(&swapped, "a", &[one(1.0)?], false));
        }
        assert_eq!(seen.len(), all);
        Ok(())
    }

    #[test]
    fn room_is_for_what_fits_the_limit() {
        let mut kept = Kept::up_to(10);
        kept.prepare([4, 6].into_iter());
        kept.with(1, 6, |numbers| numbers.fill(2.0));
        kept.prepare([4, 6].into_iter());
        assert_eq!(kept.with(1, 6, |numbers| numbers.to_vec()), [2.0; 6]);
        assert_eq!(kept.with(1, 5, |numbers| numbers.len()), 0, "another size");
        assert_eq!(kept.with(2, 6, |numbers| numbers.len()), 0, "no such tile");
        kept.prepare([4, 7].into_iter());
        assert_eq!(kept.with(0, 4, |numbers| numbers.len()), 0, "too much");
    }
}
