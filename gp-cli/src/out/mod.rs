//! Tables out: CSV, JSON lines, Parquet, each whole or not at all.

mod csv;
mod jsonl;
mod parquet;
mod pieces;

use crate::error::{CliError, ErrorKind};
use crate::files::OutputFile;
use std::fmt::Debug;
use std::io::{self, Write};
use std::path::Path;

pub use pieces::Pieces;

/// A table to be written: columns of the same length under different names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutTable {
    columns: Vec<(String, Cells)>,
}

/// The cells of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers; one that is not finite is written as a missing value.
    Numbers(Vec<f64>),
    /// Text.
    Words(Vec<String>),
}

impl OutTable {
    /// Adds a column of numbers behind the others.
    pub fn push_numbers(&mut self, name: impl Into<String>, numbers: Vec<f64>) {
        self.columns.push((name.into(), Cells::Numbers(numbers)));
    }

    /// Adds a column of text behind the others.
    pub fn push_words(&mut self, name: impl Into<String>, words: Vec<String>) {
        self.columns.push((name.into(), Cells::Words(words)));
    }

    /// Names and cells.
    #[must_use]
    pub fn columns(&self) -> &[(String, Cells)] {
        &self.columns
    }

    /// Rows of the first column.
    #[must_use]
    pub fn row_count(&self) -> usize {
        match self.columns.first() {
            Some((_, Cells::Numbers(numbers))) => numbers.len(),
            Some((_, Cells::Words(words))) => words.len(),
            None => 0,
        }
    }
}

/// A format that tables are written in.
pub trait TableFormat: Debug + Sync {
    /// The ends of names of its files, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// The bytes of a file.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io), with the reason.
    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError>;

    /// The bytes of further rows of the same columns, to go behind a file; nothing where files cannot be continued so.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    fn more(&self, _table: &OutTable) -> Option<Result<Vec<u8>, CliError>> {
        None
    }
}

const FORMATS: [&dyn TableFormat; 3] = [&csv::Csv, &jsonl::JsonLines, &parquet::Parquet];

/// The format that the end of a file's name asks for.
///
/// # Errors
/// Of kind [`Usage`](ErrorKind::Usage), with the ends there are.
pub fn format_of(path: &Path) -> Result<&'static dyn TableFormat, CliError> {
    let end = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    let found = FORMATS.into_iter().find(|format| format.extensions().contains(&end.as_str()));
    found.ok_or_else(|| {
        let known: Vec<String> =
            FORMATS.iter().flat_map(|format| format.extensions()).map(|end| format!(".{end}")).collect();
        let message = format!("`{}` ends in none of {}", path.display(), known.join(", "));
        CliError::new(ErrorKind::Usage, message)
    })
}

/// Where a table goes: to a file in the format its name asks for, or as CSV to the standard output.
#[derive(Debug)]
pub enum Destination {
    /// A file that can be written.
    File(OutputFile, &'static dyn TableFormat),
    /// The standard output.
    Stdout,
}

impl Destination {
    /// Looks whether the table could be written there. No path, and the path `-`, mean the standard output.
    ///
    /// # Errors
    /// As [`OutputFile::prepare`] and [`format_of`].
    pub fn prepare(path: Option<&Path>, force: bool) -> Result<Self, CliError> {
        match path {
            Some(path) if path != Path::new("-") => {
                let format = format_of(path)?;
                Ok(Self::File(OutputFile::prepare(path, force)?, format))
            }
            _ => Ok(Self::Stdout),
        }
    }

    /// Whether a table may be written some rows at a time.
    #[must_use]
    pub fn takes_pieces(&self) -> bool {
        self.format().more(&OutTable::default()).is_some()
    }

    /// Begins to write a table that comes some rows at a time.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io).
    pub fn begin(&self) -> Result<Pieces<'_>, CliError> {
        Pieces::begin(self)
    }

    fn format(&self) -> &'static dyn TableFormat {
        match self {
            Self::File(_, format) => *format,
            Self::Stdout => &csv::Csv,
        }
    }

    /// Writes the table.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io).
    pub fn write(&self, table: &OutTable, stdout: &mut dyn Write) -> Result<(), CliError> {
        match self {
            Self::File(file, format) => file.write(&format.bytes(table)?),
            Self::Stdout => print(stdout, &csv::Csv.bytes(table)?),
        }
    }
}

/// Writes to the standard output. A reader who has gone away is no error.
///
/// # Errors
/// Of kind [`Io`](ErrorKind::Io), such as a full disk behind it.
pub fn print(stdout: &mut dyn Write, bytes: &[u8]) -> Result<(), CliError> {
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // Whoever read the results has read enough of them.
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::caused(ErrorKind::Io, "cannot print the results", cause))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Formats, ReadOptions, Source};

    fn table() -> OutTable {
        let mut table = OutTable::default();
        table.push_words("name", vec!["a,b".to_owned(), "say \"x\"".to_owned(), String::new()]);
        table.push_numbers("value", vec![0.1 + 0.2, -1e-300, f64::NAN]);
        table
    }

    #[test]
    fn text_formats_quote_and_keep_every_bit() {
        let bytes = |path: &str| format_of(Path::new(path)).unwrap().bytes(&table()).unwrap();
        let csv = String::from_utf8(bytes("a.csv")).unwrap();
        assert_eq!(csv, "name,value\n\"a,b\",0.30000000000000004\n\"say \"\"x\"\"\",-1e-300\n,\n");
        let lines = String::from_utf8(bytes("a.jsonl")).unwrap();
        let first = "{\"name\":\"a,b\",\"value\":0.30000000000000004}";
        assert_eq!(lines.lines().next(), Some(first));
        assert!(lines.ends_with("{\"name\":\"\",\"value\":null}\n"), "{lines}");
        let refused = format_of(Path::new("a.xls")).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Usage);
    }

    #[test]
    fn parquet_is_read_back() {
        let bytes = format_of(Path::new("a.parquet")).unwrap().bytes(&table()).unwrap();
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
