//! Memory of a text's current line, counted once it is long.

use super::supply::Supply;
use crate::error::CliError;
use crate::memory::size_text;

/// Bytes up to which lines are not counted.
const SHORT: usize = 1 << 20;
/// A line is counted again after growing by one part in this many.
const GROWTH: usize = 4;

/// Longest line counted so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineRoom {
    counted: usize,
}

impl LineRoom {
    /// `true` if such a line must be counted before it grows.
    pub(super) fn is_due(self, length: usize) -> bool {
        length > self.counted.max(SHORT)
    }

    /// Refuses a line that memory does not let grow, at `copies` bytes per byte of text.
    pub(super) fn count(
        &mut self,
        supply: &dyn Supply,
        (line, length): (u64, usize),
        copies: f64,
    ) -> Result<(), CliError> {
        self.counted = length + length / GROWTH;
        let what = || format!(", line {line}, with more than {},", size_text(length as f64));
        supply.room().take_line(copies * self.counted as f64, what)
    }
}
