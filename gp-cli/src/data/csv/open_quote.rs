//! Unclosed quotation marks.

/// Parser state after a byte.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum At {
    CellStart,
    Cell,
    Quoted,
    /// Quotation mark in quotes: their end, or the first of a pair.
    QuoteInQuoted,
}

/// Line ends before an unclosed cell; `None` if all cells close.
pub(super) fn lines_before_open_quote(text: &[u8], delimiter: u8) -> Option<usize> {
    let (mut at, mut lines, mut opened) = (At::CellStart, 0, 0);
    for &byte in text {
        if at == At::CellStart && byte == b'"' {
            opened = lines;
        }
        at = at.behind(byte, delimiter);
        lines += usize::from(byte == b'\n');
    }
    (at == At::Quoted).then_some(opened)
}

/// Number of cells in the start of a record.
pub(super) fn cells_of(text: &[u8], delimiter: u8) -> usize {
    let (mut at, mut cells) = (At::CellStart, 1);
    for &byte in text {
        at = at.behind(byte, delimiter);
        cells += usize::from(byte == delimiter && at == At::CellStart);
    }
    cells
}

impl At {
    pub(super) const ALL: [Self; 4] = [Self::CellStart, Self::Cell, Self::Quoted, Self::QuoteInQuoted];

    pub(super) fn behind(self, byte: u8, delimiter: u8) -> Self {
        let is_end = byte == delimiter || byte == b'\n' || byte == b'\r';
        match (self, byte) {
            (Self::CellStart, b'"') => Self::Quoted,
            (Self::Quoted, b'"') => Self::QuoteInQuoted,
            (Self::Quoted, _) | (Self::QuoteInQuoted, b'"') => Self::Quoted,
            _ if is_end => Self::CellStart,
            _ => Self::Cell,
        }
    }

    /// State after bytes without quotation marks.
    pub(super) fn behind_plain(self, last: u8, delimiter: u8) -> Self {
        // Outside quotes, only the last byte matters.
        if self == Self::Quoted { self } else { Self::Cell.behind(last, delimiter) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_within_quotes_separate_no_cells() {
        let of = |text: &str| cells_of(text.as_bytes(), b',');
        assert_eq!([of(""), of("a,b"), of("\"a,b\",c"), of("a\"b,c"), of("\"a\"\",b")], [1, 2, 2, 2, 1]);
    }

    #[test]
    fn only_cells_without_an_end_are_open() {
        let of = |text: &str| lines_before_open_quote(text.as_bytes(), b',');
        assert_eq!([of("\"a"), of("1,2\n3,\"4\n5,6\n"), of("\r\n\"a\"\"\n")], [Some(0), Some(1), Some(1)]);
        for closed in ["", "1,2", "\"a\"", "\"a\"\"b\"\n", "5\" pipe,2\n", "\"a\"b\"\n", "\"a\nb\",1\n"] {
            assert_eq!(of(closed), None, "{closed}");
        }
    }
}
