//! Tables out: CSV, JSON lines, Parquet, each whole or not at all.

mod built_in;
mod csv;
mod destination;
mod format;
mod gaps;
mod jsonl;
mod parquet;
mod pieces;
mod print;
mod table;
mod writers;

pub use destination::Destination;
pub use format::TableFormat;
pub use gaps::Gaps;
pub use pieces::Pieces;
pub use print::print;
pub use table::{Cells, OutTable};
pub use writers::Writers;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::data::{Formats, ReadOptions, Source};
    use std::io::{self, Write};
    use std::path::Path;

    fn table() -> OutTable {
        let mut table = OutTable::default();
        table.push_words("name", vec!["a,b".to_owned(), "say \"x\"".to_owned(), String::new()]);
        table.push_numbers("value", vec![0.1 + 0.2, -1e-300, f64::NAN]);
        table
    }

    #[test]
    fn text_formats_quote_and_keep_every_bit() {
        let bytes = |path: &str| Writers::built_in().of(Path::new(path)).unwrap().bytes(&table()).unwrap();
        let csv = String::from_utf8(bytes("a.csv")).unwrap();
        assert_eq!(csv, "name,value\n\"a,b\",0.30000000000000004\n\"say \"\"x\"\"\",-1e-300\n,\n");
        let lines = String::from_utf8(bytes("a.jsonl")).unwrap();
        let first = "{\"name\":\"a,b\",\"value\":0.30000000000000004}";
        assert_eq!(lines.lines().next(), Some(first));
        assert!(lines.ends_with("{\"name\":\"\",\"value\":null}\n"), "{lines}");
        let refused = Writers::built_in().of(Path::new("a.xls")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Usage);
    }

    #[test]
    fn parquet_is_read_back() {
        let bytes = Writers::built_in().of(Path::new("a.parquet")).unwrap().bytes(&table()).unwrap();
        let source = Source::from_bytes("a.parquet", bytes).unwrap();
        let frame = Formats::built_in().read(&source, &ReadOptions::default()).unwrap();
        assert_eq!(frame.column("value").unwrap().numbers().unwrap()[..2], [0.1 + 0.2, -1e-300]);
        assert!(frame.column("value").unwrap().is_missing(2));
        assert_eq!(frame.column("name").unwrap().text(0), "a,b");
    }

    #[test]
    fn a_closed_pipe_is_no_error_and_a_full_disk_is() {
        struct Broken(io::ErrorKind);
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        assert!(print(&mut Broken(io::ErrorKind::BrokenPipe), b"x").is_ok());
        let refused = print(&mut Broken(io::ErrorKind::StorageFull), b"x").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Io);
    }
}
