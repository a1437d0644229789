//! Independent latent noise per point.

use std::ops::Range;

use crate::flat::{Flat, Reach};
use crate::kernel::Pair;

/// Points with themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct SamePoint;

/// `variance` of a point with itself, else 0, even at equal coordinates.
///
/// In `K_zz` and `diag K_xx`, not `K_zx`; "additive noise parameter" in scalable EP.
pub type White = Flat<SamePoint>;

impl Reach for SamePoint {
    const NAME: &'static str = "white";
    const SUMMARY: &'static str = "variance for a point with itself, else 0: latent noise";
    const ALIASES: &'static [&'static str] = &["white_noise"];

    fn rows(&self, pair: Pair<'_>, j: usize) -> Range<usize> {
        if pair.same && j < pair.rows.nrows() { j..j + 1 } else { 0..0 }
    }
}
