//! White: latent noise, different at every point.

use std::ops::Range;

use crate::flat::{Flat, Reach};
use crate::kernel::Pair;

/// A point with itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct SamePoint;

/// White kernel: `variance` for a point with itself, 0 for two points, even at one place.
///
/// Part of `K_zz` and `diag K_xx` but not of `K_zx`: the "additive noise parameter" of papers on scalable
/// EP.
pub type White = Flat<SamePoint>;

impl Reach for SamePoint {
    const NAME: &'static str = "white";
    const SUMMARY: &'static str = "variance for a point with itself, else 0: latent noise";
    const ALIASES: &'static [&'static str] = &["white_noise"];

    fn rows(&self, pair: Pair<'_>, j: usize) -> Range<usize> {
        if pair.same && j < pair.rows.nrows() { j..j + 1 } else { 0..0 }
    }
}
