//! Constant kernel: unknown constant functions.

use std::ops::Range;

use crate::flat::{Flat, Reach};
use crate::kernel::Pair;

/// All pairs of points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everywhere;

/// Constant kernel `variance`.
pub type Constant = Flat<Everywhere>;

impl Reach for Everywhere {
    const NAME: &'static str = "constant";
    const SUMMARY: &'static str = "variance: one unknown level everywhere (an intercept)";
    const ALIASES: &'static [&'static str] = &["bias", "intercept"];

    fn rows(&self, pair: Pair<'_>, _j: usize) -> Range<usize> {
        0..pair.rows.nrows()
    }
}
