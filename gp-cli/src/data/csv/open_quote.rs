//! Quotation marks that are never closed.

/// State of a text within a record.
#[derive(Clone, Copy, PartialEq)]
enum At {
    CellStart,
    Cell,
    Quoted,
    /// Behind a quotation mark within a quoted cell: its end, or half of a doubled one.
    QuoteInQuoted,
}

/// Line ends before the quotation mark of a cell that does not end with the text; `None` if all cells are closed. The
/// text starts with a record.
pub(super) fn lines_before_open_quote(text: &[u8], delimiter: u8) -> Option<usize> {
    let (mut at, mut lines, mut opened) = (At::CellStart, 0, 0);
    for &byte in text {
        let is_end = byte == delimiter || byte == b'\n' || byte == b'\r';
        at = match (at, byte) {
            (At::CellStart, b'"') => {
                opened = lines;
                At::Quoted
            }
            (At::Quoted, b'"') => At::QuoteInQuoted,
            (At::Quoted, _) | (At::QuoteInQuoted, b'"') => At::Quoted,
            _ if is_end => At::CellStart,
            _ => At::Cell,
        };
        lines += usize::from(byte == b'\n');
    }
    (at == At::Quoted).then_some(opened)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_cells_without_an_end_are_open() {
        let of = |text: &str| lines_before_open_quote(text.as_bytes(), b',');
        assert_eq!([of("\"a"), of("1,2\n3,\"4\n5,6\n"), of("\r\n\"a\"\"\n")], [Some(0), Some(1), Some(1)]);
        for closed in ["", "1,2", "\"a\"", "\"a\"\"b\"\n", "5\" pipe,2\n", "\"a\"b\"\n", "\"a\nb\",1\n"] {
            assert_eq!(of(closed), None, "{closed}");
        }
    }
}
