//! Memory of long lines.

use super::supply::Supply;
use crate::error::CliError;
use crate::memory::size_text;

/// Maximum bytes of lines that are not counted.
const SHORT: usize = 1 << 20;
/// Reciprocal of the growth that needs a new count.
const GROWTH: usize = 4;

/// Longest line counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineRoom {
    counted: usize,
}

impl LineRoom {
    /// `true` if growth must be counted.
    pub(super) fn is_due(self, length: usize) -> bool {
        length > self.counted.max(SHORT)
    }

    /// Refuses lines beyond memory.
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
