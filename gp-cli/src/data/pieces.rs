//! Tables in chunks of rows, to limit memory.

use super::frame::Frame;
use crate::error::CliError;

/// Approximate number of values per chunk.
const CELLS: usize = 1 << 19;
/// Maximum number of rows per chunk.
const MAX_ROWS: usize = 1 << 15;

/// Table as a sequence of chunks.
///
/// All chunks have the same column types. Rows are numbered through, so errors name the same places as for a
/// whole table. Each chunk has its own list of words.
pub trait FrameStream {
    /// Next rows; `None` after the last.
    ///
    /// # Errors
    /// Those of the [`Format`](super::Format) for the whole table.
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError>;
}

/// Predictions work in blocks of this many rows; chunk sizes are multiples of it except for very wide tables.
const BLOCK: usize = 2048;
/// Maximum number of values in a chunk.
const MAX_CELLS: usize = 1 << 23;

pub(super) fn rows_of_piece(columns: usize) -> usize {
    let blocks = (CELLS / columns.max(1) / BLOCK).max(1);
    let most = (MAX_CELLS / columns.max(1)).max(1);
    (blocks * BLOCK).min(MAX_ROWS).min(most)
}

/// Chunk size for all rows in one chunk.
pub(super) const WHOLE: fn(usize) -> usize = |_| usize::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_of_whole_blocks_until_these_are_wide() {
        assert_eq!([1, 16, 17].map(rows_of_piece), [32_768, 32_768, 30_720]);
        assert_eq!([256, 4_096].map(rows_of_piece), [2_048, 2_048]);
        assert_eq!([100_000, usize::MAX].map(rows_of_piece), [83, 1]);
    }
}
