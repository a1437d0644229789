//! White kernel: independent latent noise at every point.

use std::ops::Range;

use crate::flat::{Flat, Reach};
use crate::kernel::Pair;

/// Pairs of a point with itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct SamePoint;

/// White kernel: `variance` for a point with itself, 0 for different points, even at equal coordinates.
///
/// Part of `K_zz` and `diag K_xx`, not of `K_zx`. Papers on scalable EP: "additive noise parameter".
pub type White = Flat<SamePoint>;

impl Reach for SamePoint {
    const NAME: &'static str = "white";
    const SUMMARY: &'static str = "variance for a point with itself, else 0: latent noise";
    const ALIASES: &'static [&'static str] = &["white_noise"];

    fn rows(&self, pair: Pair<'_>, j: usize) -> Range<usize> {
        if pair.same && j < pair.rows.nrows() { j..j + 1 } else { 0..0 }
    }
}
