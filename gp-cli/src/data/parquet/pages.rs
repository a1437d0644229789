//! Memory claims of pages, checked because the third-party reader's allocations can kill the process.

use super::header::{Holds, PageHeader};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;
use std::collections::VecDeque;
use std::io::Read;

/// Bytes per number, or per word without text.
const WORD: f64 = 32.0;

/// Bytes of a column while `rows` rows are read, `at_once` values at a time. Fails for damaged headers and pages
/// outside the column.
pub(super) fn claim(
    from: &impl ChunkReader,
    column: &ColumnChunkMetaData,
    rows: usize,
    at_once: usize,
) -> Result<f64, ParquetError> {
    let (start, length) = column.byte_range();
    let end = start.checked_add(length).filter(|&end| end <= from.len());
    let end = end.ok_or_else(|| damaged("a column ends behind the file"))?;
    let (mut at, mut held) = (start, HeldPages { most: at_once as i64, ..HeldPages::default() });
    // Pages after the last row are not read.
    while at < end && held.seen < rows as i64 {
        let header = PageHeader::read(from.get_read(at)?.take(end - at))?;
        held.add(&header)?;
        let packed = u64::try_from(header.packed)?;
        let next = at.checked_add(header.length + packed).filter(|&next| next <= end);
        at = next.ok_or_else(|| damaged("a page ends behind its column"))?;
    }
    Ok(held.dictionary + held.largest)
}

fn damaged(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// Pages in memory at once.
#[derive(Default)]
struct HeldPages {
    /// Maximum values passed at once.
    most: i64,
    /// Values and bytes per page.
    last: VecDeque<(i64, f64)>,
    values: i64,
    bytes: f64,
    seen: i64,
    largest: f64,
    dictionary: f64,
}

impl HeldPages {
    fn add(&mut self, header: &PageHeader) -> Result<(), ParquetError> {
        let (unpacked, packed) = (header.unpacked, header.packed);
        let bytes = unpacked as f64 + packed as f64;
        let values = match header.holds {
            Holds::Values(values) => values,
            Holds::Words(_) | Holds::Other => 0,
        };
        if unpacked < 0 || packed < 0 || values < 0 {
            return Err(damaged("a page has a negative size"));
        }
        if let Holds::Words(words) = header.holds {
            // A word takes at least one byte.
            if !(0..=unpacked).contains(&words) {
                return Err(damaged("a dictionary has more words than bytes"));
            }
            self.dictionary += bytes + WORD * words as f64;
            return Ok(());
        }
        // Pages before the current values are freed; one may be partly read.
        while let Some(&(values, before)) = self.last.front()
            && self.values - values >= self.most
        {
            self.last.pop_front();
            (self.values, self.bytes) = (self.values - values, self.bytes - before);
        }
        self.last.push_back((values, bytes));
        (self.values, self.bytes) = (self.values.saturating_add(values), self.bytes + bytes);
        self.seen = self.seen.saturating_add(values);
        self.largest = self.largest.max(self.bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(values: i64, unpacked: i64) -> PageHeader {
        PageHeader { length: 9, unpacked, packed: 1, holds: Holds::Values(values) }
    }

    #[test]
    fn pages_of_values_that_are_handed_on_together_are_held_together() {
        let mut held = HeldPages { most: 10, ..HeldPages::default() };
        let pages = [
            (page(4, 99), 100.0),
            (page(4, 99), 200.0),
            // Ten values may span pages one to three.
            (page(8, 199), 400.0),
            // 16 values remain without the first page, 12 without the second: enough.
            (page(20, 9), 400.0),
            (page(20, 899), 910.0),
            (page(1, 0), 910.0),
            (page(1, 99), 1001.0),
        ];
        for (header, largest) in pages {
            held.add(&header).unwrap();
            assert_eq!(held.largest, largest, "{header:?}");
        }
        assert_eq!(held.seen, 58);
    }

    #[test]
    fn dictionaries_are_held_throughout() {
        let mut held = HeldPages { most: 10, ..HeldPages::default() };
        let dictionary = PageHeader { holds: Holds::Words(10), ..page(0, 500) };
        held.add(&dictionary).unwrap();
        assert_eq!((held.dictionary, held.largest), (821.0, 0.0));
        assert!(held.add(&PageHeader { holds: Holds::Words(501), ..dictionary }).is_err());
    }

    #[test]
    fn negative_sizes_are_damage() {
        for header in [page(-1, 5), page(1, -5), PageHeader { packed: -1, ..page(1, 5) }] {
            assert!(HeldPages::default().add(&header).is_err(), "{header:?}");
        }
    }
}
