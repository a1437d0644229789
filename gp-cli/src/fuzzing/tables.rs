//! Readers of tables.

use super::{Readers, Reading};
use crate::data::{Frame, Input, Kind, ReadOptions, Source, TableChoice};
use crate::error::CliError;

/// Maximum bytes also read in chunks.
const SHORT: usize = 4096;

pub(super) fn table(readers: &Readers, bytes: &[u8], format: &str) -> Result<Reading, String> {
    named(readers, "bytes", bytes, format)
}

pub(super) fn gzip(readers: &Readers, bytes: &[u8]) -> Result<Reading, String> {
    named(readers, "bytes.gz", bytes, "csv")
}

fn named(readers: &Readers, name: &str, bytes: &[u8], format: &str) -> Result<Reading, String> {
    let choice = TableChoice { format: Some(format.to_owned()), ..TableChoice::default() };
    let options = ReadOptions { choice, ..ReadOptions::default() };
    let whole =
        source(readers, name, bytes).and_then(|source| readers.context.formats.read(&source, &options));
    let is_text = ["csv", "libsvm"].contains(&format) && bytes.len() < SHORT;
    let pieces = if is_text { Some(in_pieces(readers, name, bytes, &options)) } else { None };
    match (whole, pieces) {
        (Ok(frame), None) => check(&frame).map(|()| Reading::Read),
        (Ok(frame), Some(Ok(rows))) if rows == frame.row_count() => {
            check(&frame).and_then(|()| dates(readers, name, bytes, (&frame, options)))?;
            Ok(Reading::Read)
        }
        (Ok(frame), Some(Ok(rows))) => Err(format!("{} rows, and {rows} in pieces", frame.row_count())),
        (Ok(_), Some(Err(error))) => Err(format!("read, but not in pieces: {}", error.with_causes())),
        (Err(error), Some(Ok(rows))) => Err(format!("{rows} rows in pieces, but {}", error.with_causes())),
        (Err(error), _) => Ok(Reading::refused(&error)),
    }
}

fn input(readers: &Readers, name: &str, bytes: &[u8]) -> Result<Input, CliError> {
    Ok(Input::from_bytes(name, bytes.to_vec())?.within(readers.context.budget()))
}

fn source(readers: &Readers, name: &str, bytes: &[u8]) -> Result<Source, CliError> {
    input(readers, name, bytes)?.load()
}

fn in_pieces(readers: &Readers, name: &str, bytes: &[u8], options: &ReadOptions) -> Result<usize, CliError> {
    let (input, mut rows) = (input(readers, name, bytes)?, 0);
    let mut pieces = readers.context.formats.pieces(&input, options)?;
    while let Some(piece) = pieces.next_piece()? {
        rows += piece.row_count();
    }
    if rows == 0 { Err(Frame::no_rows(name)) } else { Ok(rows) }
}

fn dates(
    readers: &Readers,
    name: &str,
    bytes: &[u8],
    (frame, mut options): (&Frame, ReadOptions),
) -> Result<(), String> {
    options.kinds = frame.names().into_iter().map(|name| (name.to_owned(), Kind::Date)).collect();
    match source(readers, name, bytes).and_then(|source| readers.context.formats.read(&source, &options)) {
        Ok(dates) => check(&dates),
        Err(_) => Ok(()),
    }
}

fn check(frame: &Frame) -> Result<(), String> {
    if frame.row_count() == 0 || frame.columns().is_empty() {
        return Err("a table without rows or columns".to_owned());
    }
    for column in frame.columns() {
        let letters: usize = (0..frame.row_count()).map(|row| column.text(row).len()).sum();
        if column.values().len() != frame.row_count() || frame.column(column.name()).is_none() {
            return Err(format!(
                "column {:?} of {letters} letters is not what the table says",
                column.name()
            ));
        }
    }
    Ok(())
}
