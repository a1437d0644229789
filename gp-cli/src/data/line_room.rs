//! Memory of the current line of a text, counted once the line is long.

use super::supply::Supply;
use crate::error::CliError;
use crate::memory::size_text;

/// Length in bytes up to which lines are not counted.
const SHORT: usize = 1 << 20;
/// A line is counted again when it has grown by one part in this many.
const GROWTH: usize = 4;

/// Longest line counted so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineRoom {
    counted: usize,
}

impl LineRoom {
    /// `true` if a line of this length has to be counted before it grows.
    pub(super) fn is_due(self, length: usize) -> bool {
        length > self.counted.max(SHORT)
    }

    /// Refuses line number `line` if the memory does not suffice for it to grow. It takes `copies` bytes per byte of
    /// its text.
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
