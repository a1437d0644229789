//! Atomic table output: CSV, TSV, JSON Lines, Parquet, Arrow; gzip for text.

#[cfg(feature = "columnar")]
mod arrow;
mod built_in;
mod csv;
mod destination;
mod format;
mod gaps;
mod gzip;
mod jsonl;
#[cfg(feature = "columnar")]
mod parquet;
mod pieces;
mod print;
mod table;
mod writers;

pub use destination::Destination;
pub use format::TableFormat;
pub use gaps::Gaps;
pub use pieces::TableWriter;
pub use print::print;
pub use table::{Cells, OutTable};
pub use writers::Writers;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::data::{Formats, Frame, ReadOptions, Source};
    use flate2::read::MultiGzDecoder;
    use std::io::{self, Read, Write};
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
        assert!(lines.ends_with("{\"name\":null,\"value\":null}\n"), "{lines}");
        let tabs = String::from_utf8(bytes("a.TSV")).unwrap();
        assert_eq!(tabs, "name\tvalue\na,b\t0.30000000000000004\n\"say \"\"x\"\"\"\t-1e-300\n\t\n");
        let refused = Writers::built_in().of(Path::new("a.xls")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Usage);
    }

    fn read(name: &str, bytes: Vec<u8>) -> Frame {
        let source = Source::from_bytes(name, bytes).unwrap();
        Formats::built_in().read(&source, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn binary_formats_are_read_back() {
        for name in ["a.parquet", "a.arrow", "a.feather"] {
            let frame = read(name, Writers::built_in().of(Path::new(name)).unwrap().bytes(&table()).unwrap());
            assert_eq!(
                frame.column("value").unwrap().numbers().unwrap()[..2],
                [0.1 + 0.2, -1e-300],
                "{name}"
            );
            assert!(frame.column("value").unwrap().is_missing(2), "{name}");
            assert_eq!(frame.column("name").unwrap().text(0), "a,b", "{name}");
            assert!(frame.column("name").unwrap().is_missing(2), "{name}");
        }
    }

    #[test]
    fn text_is_packed_whole_or_in_members() {
        let (plain, packed) =
            ["a.csv", "a.csv.gz"].map(|name| Writers::built_in().of(Path::new(name)).unwrap()).into();
        let bytes = packed.bytes(&table()).unwrap();
        assert_eq!(bytes, packed.bytes(&table()).unwrap());
        let frame = read("a.csv.gz", bytes.clone());
        assert_eq!(frame.column("value").unwrap().numbers().unwrap()[..2], [0.1 + 0.2, -1e-300]);
        let twice = [bytes, packed.more(&table()).unwrap().unwrap()].concat();
        let mut text = Vec::new();
        MultiGzDecoder::new(&twice[..]).read_to_end(&mut text).unwrap();
        assert_eq!(text, [plain.bytes(&table()).unwrap(), plain.more(&table()).unwrap().unwrap()].concat());
        for name in ["a.parquet.gz", "a.gz", ".gz"] {
            let refused = Writers::built_in().of(Path::new(name)).unwrap_err();
            assert!(
                refused.to_string().contains(".parquet, .arrow, .feather, .csv.gz, .tsv.gz"),
                "{refused}"
            );
        }
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
