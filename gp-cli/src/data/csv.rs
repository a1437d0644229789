//! Text with separated cells: commas, tabs, semicolons or bars, found from the header.

use super::cells;
use super::column::{Column, Kind, LevelBuilder, parse};
use super::format::{Format, ReadOptions, check_width};
use super::frame::{Frame, not_of_kind};
use super::source::Source;
use crate::error::CliError;
use csv::{Reader, ReaderBuilder, StringRecord, Trim};
use std::collections::HashMap;

/// What separates cells, by how often it does.
const DELIMITERS: [u8; 4] = *b",\t;|";

/// CSV and TSV.
#[derive(Clone, Copy, Debug)]
pub(super) struct Csv;

impl Format for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn summary(&self) -> &'static str {
        "text with a header, cells separated by commas, tabs, semicolons or bars"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["csv", "tsv", "tab", "txt"]
    }

    fn recognises(&self, _bytes: &[u8]) -> bool {
        false
    }

    /// Reads twice: the first time for the types of columns, the second for their cells.
    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let text = Text::new(source)?;
        let mut columns = text.wanted(options)?;
        text.find_kinds(&mut columns)?;
        text.read_cells(&columns)
    }
}

/// Text that is UTF-8, with its header.
struct Text<'a> {
    source: &'a Source,
    bytes: &'a [u8],
    delimiter: u8,
    header: Vec<String>,
}

/// A column that is read: where it stands, and what is known of its type.
struct Wanted {
    place: usize,
    kind: Option<Kind>,
}

/// How many cells can be read as what.
#[derive(Clone, Copy, Default)]
struct Tally {
    numbers: usize,
    flags: usize,
    dates: usize,
    words: usize,
}

impl<'a> Text<'a> {
    fn new(source: &'a Source) -> Result<Self, CliError> {
        let bytes = source.bytes().strip_prefix(b"\xef\xbb\xbf").unwrap_or(source.bytes());
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(source.fault(" is UTF-16; save it as UTF-8"));
        }
        if let Err(error) = std::str::from_utf8(bytes) {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
            return Err(source.fault(format!(", line {line}: not UTF-8 text; save the table as UTF-8")));
        }
        let delimiter = delimiter(bytes);
        let mut text = Self { source, bytes, delimiter, header: Vec::new() };
        let mut record = StringRecord::new();
        text.next(&mut text.reader(), &mut record)?;
        check_width(source, record.len())?;
        if record.is_empty() {
            return Err(source.fault(" is empty"));
        }
        text.header = record.iter().map(str::to_owned).collect();
        text.check_header()?;
        Ok(text)
    }

    fn reader(&self) -> Reader<&'a [u8]> {
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).trim(Trim::All).delimiter(self.delimiter);
        builder.from_reader(self.bytes)
    }

    /// The next record, if there is one, with as many cells as the header.
    fn next(&self, reader: &mut Reader<&'a [u8]>, record: &mut StringRecord) -> Result<bool, CliError> {
        let more = reader
            .read_record(record)
            .map_err(|cause| self.source.fault(format!(" is not a table: {cause}")))?;
        if !more || self.header.is_empty() || record.len() == self.header.len() {
            return Ok(more);
        }
        let (found, wanted) = (record.len(), self.header.len());
        let cells = if found == 1 { "cell" } else { "cells" };
        Err(self.source.fault(format!(
            ", line {}: {found} {cells}, but the header has {wanted}; add what is missing, or quote cells that hold the separator",
            self.line(record)
        )))
    }

    fn check_header(&self) -> Result<(), CliError> {
        if let Some(place) = self.header.iter().position(String::is_empty) {
            let what = format!(", line 1: column {} has no name; give it one, or leave it out", place + 1);
            return Err(self.source.fault(what));
        }
        let mut first = HashMap::with_capacity(self.header.len());
        for (place, name) in self.header.iter().enumerate() {
            if let Some(before) = first.insert(name.as_str(), place) {
                let (before, place) = (before + 1, place + 1);
                let what = format!(
                    ", line 1: columns {before} and {place} are both called {name}; rename one of them"
                );
                return Err(self.source.fault(what));
            }
        }
        let numbers = || self.header.iter().map(|name| cells::number(name));
        // Numbers from 0 or from 1 on are names that other programs give.
        let counts = |first: usize| numbers().enumerate().all(|(i, name)| name == Some((i + first) as f64));
        if numbers().all(|name| name.is_some()) && !counts(0) && !counts(1) {
            return Err(self.source.fault(", line 1: numbers instead of names of columns; add a header"));
        }
        Ok(())
    }

    fn wanted(&self, options: &ReadOptions) -> Result<Vec<Wanted>, CliError> {
        let names = self.header.iter().enumerate().filter(|(_, name)| options.wants(name));
        let wanted: Vec<Wanted> =
            names.map(|(place, name)| Wanted { place, kind: options.kind(name) }).collect();
        if wanted.is_empty() {
            // Columns that were asked for and are not there: whoever asked will be told by name.
            return Ok(vec![Wanted { place: 0, kind: Some(Kind::Category) }]);
        }
        Ok(wanted)
    }

    fn find_kinds(&self, columns: &mut [Wanted]) -> Result<(), CliError> {
        let mut tallies = vec![Tally::default(); columns.len()];
        let (mut reader, mut record) = self.body()?;
        while self.next(&mut reader, &mut record)? {
            for (column, tally) in
                columns.iter().zip(&mut tallies).filter(|(column, _)| column.kind.is_none())
            {
                tally.add(&record[column.place]);
            }
        }
        for (column, tally) in columns.iter_mut().zip(&tallies) {
            column.kind = column.kind.or(Some(tally.kind()));
        }
        Ok(())
    }

    fn read_cells(&self, columns: &[Wanted]) -> Result<Frame, CliError> {
        let mut cells: Vec<Cells> = columns.iter().map(|column| Cells::new(column.kind)).collect();
        let (mut reader, mut record) = self.body()?;
        let mut lines = Vec::new();
        while self.next(&mut reader, &mut record)? {
            for (column, cells) in columns.iter().zip(&mut cells) {
                let cell = &record[column.place];
                cells.push(cell).map_err(|kind| {
                    let (place, name) = (format!("line {}", self.line(&record)), &self.header[column.place]);
                    not_of_kind(self.source.name(), &place, name, cell, kind)
                })?;
            }
            lines.push(self.line(&record));
        }
        let named =
            columns.iter().zip(cells).map(|(column, cells)| cells.into_column(&self.header[column.place]));
        Frame::new(self.source.name(), named.collect(), Some(lines))
    }

    /// The line of a record. The reader counts empty lines before it to it.
    fn line(&self, record: &StringRecord) -> u64 {
        let Some(position) = record.position() else { return 0 };
        let start = usize::try_from(position.byte()).unwrap_or(usize::MAX).min(self.bytes.len());
        let empty = self.bytes[start..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        position.line() + empty.filter(|&&byte| byte == b'\n').count() as u64
    }

    /// A reader behind the header.
    fn body(&self) -> Result<(Reader<&'a [u8]>, StringRecord), CliError> {
        let (mut reader, mut record) = (self.reader(), StringRecord::new());
        self.next(&mut reader, &mut record)?;
        Ok((reader, record))
    }
}

/// The separator that the first line has most of; a comma where it has none.
fn delimiter(bytes: &[u8]) -> u8 {
    let (mut counts, mut quoted) = ([0usize; DELIMITERS.len()], false);
    for &byte in bytes.iter().take_while(|&&byte| byte != b'\n') {
        quoted ^= byte == b'"';
        if let Some(which) = DELIMITERS.iter().position(|&delimiter| delimiter == byte && !quoted) {
            counts[which] += 1;
        }
    }
    let most = (0..counts.len()).rev().max_by_key(|&which| counts[which]).unwrap_or(0);
    DELIMITERS[most]
}

impl Tally {
    fn add(&mut self, cell: &str) {
        if cells::is_missing(cell) {
        } else if cells::number(cell).is_some() {
            self.numbers += 1;
        } else if cells::flag(cell).is_some() {
            self.flags += 1;
        } else if cells::days_since_epoch(cell).is_some() {
            self.dates += 1;
        } else {
            self.words += 1;
        }
    }

    /// A column is of a type if all its cells are. Where half of them are numbers or more, it is meant to be one of
    /// numbers, and the others are faults.
    fn kind(self) -> Kind {
        let all = self.numbers + self.flags + self.dates + self.words;
        if 2 * self.numbers >= all {
            Kind::Number
        } else if self.flags == all {
            Kind::Boolean
        } else if self.dates == all {
            Kind::Date
        } else {
            Kind::Category
        }
    }
}

/// Cells of one column as they come.
enum Cells {
    Numbers(Kind, Vec<f64>),
    Words(LevelBuilder),
}

impl Cells {
    fn new(kind: Option<Kind>) -> Self {
        match kind {
            None | Some(Kind::Category) => Self::Words(LevelBuilder::default()),
            Some(kind) => Self::Numbers(kind, Vec::new()),
        }
    }

    /// Takes a cell, or tells which type it is not of.
    fn push(&mut self, cell: &str) -> Result<(), Kind> {
        match self {
            Self::Numbers(kind, numbers) => numbers.push(parse(cell, *kind).ok_or(*kind)?),
            Self::Words(levels) => levels.push((!cells::is_missing(cell)).then_some(cell)),
        }
        Ok(())
    }

    fn into_column(self, name: &str) -> Column {
        match self {
            Self::Numbers(kind, numbers) => Column::of_numbers(name, kind, numbers),
            Self::Words(levels) => levels.into_column(name),
        }
    }
}
