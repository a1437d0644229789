//! Tables in pieces of some rows, for who cannot have them in memory.

use super::frame::Frame;
use crate::error::CliError;

/// Numbers in a piece, about.
const CELLS: usize = 1 << 19;
/// Rows of a piece of few columns.
const MOST_ROWS: usize = 1 << 15;

/// A table from its beginning to its end, some rows at a time.
///
/// Types of columns are the same in all pieces, and rows are counted through, so that faults have the same places as in
/// a table that is read at once. Lists of words are each piece's own.
pub trait FrameStream {
    /// The next rows; nothing behind the last.
    ///
    /// # Errors
    /// As those of the [`Format`](super::Format) for the whole table.
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError>;
}

/// Rows of a piece are a multiple of so many, unless columns are very many: predictions go through rows in blocks of as
/// many.
const BLOCK: usize = 2048;
/// Numbers that a block may have for that.
const MOST_CELLS: usize = 1 << 23;

/// Rows of a piece of so many columns.
pub(super) fn rows_of_piece(columns: usize) -> usize {
    let blocks = (CELLS / columns.max(1) / BLOCK).max(1);
    let most = (MOST_CELLS / columns.max(1)).max(1);
    (blocks * BLOCK).min(MOST_ROWS).min(most)
}

/// All rows in one piece.
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
