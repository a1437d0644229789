//! Tables in chunks of rows.

use super::frame::Frame;
use crate::error::CliError;
use crate::memory::Budget;

/// Values per chunk, about.
const CELLS: usize = 1 << 19;
const MAX_ROWS: usize = 1 << 15;

/// Table in chunks.
///
/// All chunks have the same column types. Row numbers continue over chunks; words are indexed in each.
pub trait FrameStream {
    /// Next rows; `None` after the last.
    ///
    /// # Errors
    /// As the [`Format`](super::Format).
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError>;

    /// All rows, if known before reading.
    fn row_count(&self) -> Option<usize> {
        None
    }
}

/// Rows per prediction block; divides chunk sizes, except of very wide tables.
pub(crate) const ROWS_OF_BLOCK: usize = 2048;
const MAX_CELLS: usize = 1 << 23;
/// Maximum share of remaining memory per chunk.
const SHARE: f64 = 1.0 / 32.0;

pub(super) fn rows_of_piece(budget: Budget) -> impl Fn(usize) -> usize {
    let affordable = budget.left().map_or(MAX_CELLS, |left| (SHARE * left) as usize / size_of::<f64>());
    let most_cells = affordable.clamp(CELLS, MAX_CELLS);
    move |columns| {
        let blocks = (CELLS / columns.max(1) / ROWS_OF_BLOCK).max(1);
        let most = (most_cells / columns.max(1)).max(1);
        (blocks * ROWS_OF_BLOCK).min(MAX_ROWS).min(most)
    }
}

pub(super) const WHOLE: fn(usize) -> usize = |_| usize::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_of_whole_blocks_until_these_are_wide() {
        let rows = rows_of_piece(Budget::of(u64::MAX));
        assert_eq!([1, 16, 17].map(&rows), [32_768, 32_768, 30_720]);
        assert_eq!([256, 4_096].map(&rows), [2_048, 2_048]);
        assert_eq!([100_000, usize::MAX].map(&rows), [83, 1]);
    }

    #[test]
    fn wide_pieces_are_shorter_where_memory_is_short() {
        let rows = |budget: u64| [1, 256, 100_000].map(rows_of_piece(Budget::of(budget)));
        assert_eq!(rows(1_000_000_000), [32_768, 2_048, 39]);
        assert_eq!([rows(60_000_000), rows(0)], [[32_768, 2_048, 5]; 2]);
    }
}
