//! Sizes in page headers (Thrift's compact protocol).

use std::io::{self, Read};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub(super) length: u64,
    pub(super) unpacked: i64,
    pub(super) packed: i64,
    pub(super) holds: Holds,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Holds {
    #[default]
    Other,
    /// Number of values, missing ones included.
    Values(i64),
    /// Number of dictionary words.
    Words(i64),
}

const DEEPEST: u32 = 16;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const INTEGERS: std::ops::RangeInclusive<u8> = 4..=6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LISTS: std::ops::RangeInclusive<u8> = 9..=10;
const STRUCTURE: u8 = 12;
/// Fields: type, sizes, and parts for data pages, dictionaries, version 2 data pages.
const TYPE: i64 = 1;
const UNPACKED: i64 = 2;
const PACKED: i64 = 3;
const DATA: i64 = 5;
const DICTIONARY: i64 = 7;
const DATA_2: i64 = 8;
/// Field of the count in each part.
const COUNT: i64 = 1;

impl PageHeader {
    pub(super) fn read(from: impl Read) -> io::Result<Self> {
        let (mut header, mut kind_of_page, mut counts) = (Self::default(), -1, [0; 3]);
        let mut compact = Compact { from, read: 0 };
        compact.fields(|compact, field, kind| match field {
            TYPE => compact.integer(kind).map(|found| kind_of_page = found),
            UNPACKED => compact.integer(kind).map(|size| header.unpacked = size),
            PACKED => compact.integer(kind).map(|size| header.packed = size),
            DATA => compact.count(kind).map(|count| counts[0] = count),
            DICTIONARY => compact.count(kind).map(|count| counts[1] = count),
            DATA_2 => compact.count(kind).map(|count| counts[2] = count),
            _ => compact.skip(kind, 0),
        })?;
        // Only the part for the page's type counts.
        let holds = match kind_of_page {
            0 => Holds::Values(counts[0]),
            2 => Holds::Words(counts[1]),
            3 => Holds::Values(counts[2]),
            _ => Holds::Other,
        };
        Ok(Self { length: compact.read, holds, ..header })
    }
}

struct Compact<R> {
    from: R,
    read: u64,
}

impl<R: Read> Compact<R> {
    /// `visit` gets identifier and type, and must read the value.
    fn fields(&mut self, mut visit: impl FnMut(&mut Self, i64, u8) -> io::Result<()>) -> io::Result<()> {
        let mut field = 0_i64;
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                return Ok(());
            }
            // Identifiers are differences; large ones are stored in full.
            field = match byte >> 4 {
                0 => self.varint()?,
                step => field.saturating_add(step.into()),
            };
            visit(self, field, byte & 0xf)?;
        }
    }

    /// Count in a part.
    fn count(&mut self, kind: u8) -> io::Result<i64> {
        if kind != STRUCTURE {
            return Err(strange());
        }
        let mut count = 0;
        self.fields(|compact, field, kind| match field {
            COUNT => compact.integer(kind).map(|found| count = found),
            _ => compact.skip(kind, 1),
        })?;
        Ok(count)
    }

    fn integer(&mut self, kind: u8) -> io::Result<i64> {
        if INTEGERS.contains(&kind) { self.varint() } else { Err(strange()) }
    }

    fn skip(&mut self, kind: u8, depth: u32) -> io::Result<()> {
        match kind {
            // The type itself holds the value.
            TRUE | FALSE => Ok(()),
            BYTE => self.byte().map(drop),
            DOUBLE => self.pass(8),
            BINARY => self.unsigned().and_then(|length| self.pass(length)),
            kind if INTEGERS.contains(&kind) => self.unsigned().map(drop),
            kind if LISTS.contains(&kind) && depth < DEEPEST => self.skip_list(depth),
            STRUCTURE if depth < DEEPEST => self.fields(|compact, _, kind| compact.skip(kind, depth + 1)),
            _ => Err(strange()),
        }
    }

    fn skip_list(&mut self, depth: u32) -> io::Result<()> {
        let byte = self.byte()?;
        let length = if byte >> 4 == 0xf { self.unsigned()? } else { u64::from(byte >> 4) };
        let kind = match byte & 0xf {
            // In lists, one byte each.
            TRUE | FALSE => BYTE,
            kind => kind,
        };
        (0..length).try_for_each(|_| self.skip(kind, depth + 1))
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.from.read_exact(&mut byte)?;
        self.read += 1;
        Ok(byte[0])
    }

    fn pass(&mut self, length: u64) -> io::Result<()> {
        let passed = io::copy(&mut (&mut self.from).take(length), &mut io::sink())?;
        self.read += passed;
        if passed == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    fn unsigned(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(strange())
    }

    fn varint(&mut self) -> io::Result<i64> {
        let number = self.unsigned()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

fn strange() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a page has a damaged header")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Data page: type 0, 10,000 bytes packed to 300, 7 values, encoding, list, text.
    const HEADER: &[u8] = &[
        0x15, 0x00, 0x15, 0xa0, 0x9c, 0x01, 0x15, 0xd8, 0x04, 0x2c, 0x15, 0x0e, 0x15, 0x00, 0x19, 0x31, 1, 2,
        1, 0x18, 0x02, b'a', b'b', 0x00, 0x00, 0x55,
    ];

    #[test]
    fn sizes_are_read_and_the_rest_is_skipped() {
        let expected = PageHeader {
            length: HEADER.len() as u64 - 1,
            unpacked: 10_000,
            packed: 300,
            holds: Holds::Values(7),
        };
        assert_eq!(PageHeader::read(HEADER).unwrap(), expected);
    }

    #[test]
    fn headers_that_do_not_end_and_types_that_are_none_are_errors() {
        for end in 0..HEADER.len() - 1 {
            assert!(PageHeader::read(&HEADER[..end]).is_err(), "{end}");
        }
        for bytes in [&[0x1d, 0][..], &[0x18, 0xff, 0xff, 0xff, 0xff, 0x0f, 0], &[0x28, 1], &[0x1c; 200]] {
            assert!(PageHeader::read(bytes).is_err(), "{bytes:?}");
        }
    }
}
