//! Delimited text: commas, tabs, semicolons or bars.

mod division;
mod open_quote;
mod watched;

use super::cells;
use super::column::{Column, Kind};
use super::format::{Format, check_width};
use super::frame::{Frame, not_of_kind};
use super::heading::Heading;
use super::input::Input;
use super::kinds::{ColumnCells, Numbering, Tally, of_all};
use super::options::ReadOptions;
use super::pieces::{FrameStream, WHOLE, rows_of_piece};
use super::source::Source;
use super::supply::{Supply, unreadable};
use super::table_room::TableMemory;
use crate::error::CliError;
use crate::own_rows::all_succeed;
use crate::shown::shown;
use csv::{Reader, ReaderBuilder, StringRecord, Trim};
use division::{TextPart, elsewhere, own_part};
use gp_optim::Team;
use open_quote::lines_before_open_quote;
use std::collections::HashMap;
use std::sync::Arc;
use watched::{LINE_END, Separated, Watched};

/// Most common first.
const DELIMITERS: [u8; 4] = *b",\t;|";
/// Rows or bytes between memory checks.
const COUNTED: usize = 1024;
const COUNTED_BYTES: u64 = 1 << 18;
const FIRST_COLUMN: &str = "column_1";

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

    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let whole = Text::begin(source, options, WHOLE)?.next_piece()?;
        whole.ok_or_else(|| Frame::no_rows(source.name()))
    }

    fn comes_in_pieces(&self) -> bool {
        true
    }

    fn pieces<'a>(
        &self,
        input: &'a Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn FrameStream + 'a>, CliError> {
        Ok(Box::new(Text::begin(input, options, rows_of_piece(input.budget()))?))
    }

    fn own_pieces<'a>(
        &self,
        input: &'a Input,
        options: &ReadOptions,
        team: &Team,
    ) -> Result<Option<Box<dyn FrameStream + 'a>>, CliError> {
        let Some(size) = input.plain_size() else { return Ok(None) };
        let layout = Layout::new(input)?.of_process(team, size)?;
        let text = Text::of(layout, options, rows_of_piece(input.budget()), team)?;
        Ok(Some(Box::new(text)))
    }

    /// Bytes of text, and of numbers twice.
    fn memory(&self, input: &Input) -> f64 {
        let head = input.head();
        let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let separator = delimiter(first);
        let columns = 1 + first.iter().filter(|&&byte| byte == separator).count();
        let lines = 1 + head.iter().filter(|&&byte| byte == b'\n').count();
        let rows = input.size() * lines as f64 / head.len().max(1) as f64;
        input.size() + rows * 8.0 * (2 * columns + 3) as f64
    }
}

/// Table read twice: first for types, then for cells.
struct Text<'a> {
    layout: Layout<'a>,
    heading: Arc<Heading>,
    columns: Vec<WantedColumn>,
    body: Body<'a>,
    rows: usize,
    count: Option<usize>,
}

struct Layout<'a> {
    supply: &'a dyn Supply,
    delimiter: u8,
    header: Vec<String>,
    is_first_unnamed: bool,
    /// Records after the header.
    body: TextPart,
    /// Own records; None for all.
    part: Option<TextPart>,
}

struct WantedColumn {
    place: usize,
    kind: Option<Kind>,
}

struct Body<'a> {
    reader: Reader<Watched<'a>>,
    record: StringRecord,
    line: u64,
}

impl<'a> Text<'a> {
    /// Starts reading; `rows` maps the number of columns to rows per chunk.
    fn begin(
        supply: &'a dyn Supply,
        options: &ReadOptions,
        rows: impl Fn(usize) -> usize,
    ) -> Result<Self, CliError> {
        Self::of(Layout::new(supply)?, options, rows, &Team::default())
    }

    /// Starts reading, with column types joined over processes.
    fn of(
        layout: Layout<'a>,
        options: &ReadOptions,
        rows: impl Fn(usize) -> usize,
        team: &Team,
    ) -> Result<Self, CliError> {
        let mut heading = Heading::new(layout.header.clone(), options);
        let mut columns = layout.wanted(&heading, options);
        let first = &layout.header[0];
        let has_open_first = layout.is_first_unnamed && options.wants(first) && !options.names(first);
        let (counts, count) = layout.find_kinds(&mut columns, has_open_first, team)?;
        if has_open_first {
            if counts {
                heading.leave_out(first, "which has no name and numbers the rows");
                columns.retain(|column| column.place > 0 || heading.places()[0] == 0);
            } else {
                heading.mark_unnamed(first);
            }
        }
        let (body, rows) = (layout.body()?, rows(columns.len()));
        Ok(Self { layout, heading: heading.into(), columns, body, rows, count })
    }
}

impl FrameStream for Text<'_> {
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError> {
        let Self { layout, heading, columns, body, rows, .. } = self;
        let mut cells: Vec<ColumnCells> =
            columns.iter().map(|column| ColumnCells::new(column.kind)).collect();
        let (mut lines, mut room) = (Vec::new(), layout.supply.room());
        let (mut counted, mut since) = (0, body.at());
        while lines.len() < *rows && body.next(layout)? {
            for (column, cells) in columns.iter().zip(&mut cells) {
                let cell = &body.record[column.place];
                cells.push(cell).map_err(|kind| {
                    let (place, name) = (format!("line {}", body.line), &layout.header[column.place]);
                    let wanted = (kind, heading.flag(column.place));
                    not_of_kind(layout.supply.name(), &place, name, cell, wanted)
                })?;
            }
            lines.push(body.line);
            if lines.len() % COUNTED == 0 || body.at() - since > COUNTED_BYTES {
                since = body.at();
                counted = layout.count(&mut room, counted, &cells, &lines)?;
            }
        }
        layout.count(&mut room, counted, &cells, &lines)?;
        if lines.is_empty() {
            return Ok(None);
        }
        let named = columns.iter().zip(cells);
        let named: Vec<Column> =
            named.map(|(column, cells)| cells.into_column(&layout.header[column.place])).collect();
        let frame = Frame::new(layout.supply.name(), named, Some(lines))?;
        Ok(Some(frame.with_heading(heading.clone())))
    }

    fn row_count(&self) -> Option<usize> {
        self.count
    }
}

impl<'a> Layout<'a> {
    fn new(supply: &'a dyn Supply) -> Result<Self, CliError> {
        let delimiter = delimiter(Watched::new(supply)?.first_line()?);
        let body = TextPart { bytes: 0..0, lines: 0 };
        let mut layout =
            Self { supply, delimiter, header: Vec::new(), is_first_unnamed: false, body, part: None };
        let mut first = Body::new(&layout)?;
        first.next(&layout)?;
        check_width(supply, first.record.len())?;
        if first.record.is_empty() {
            return Err(supply.fault(&" is empty"));
        }
        layout.body = first.rest();
        layout.header = first.record.iter().map(str::to_owned).collect();
        if let Some(unnamed) = layout.header.first_mut().filter(|name| name.is_empty()) {
            // Programs leave the header of row numbers or names empty.
            FIRST_COLUMN.clone_into(unnamed);
            layout.is_first_unnamed = true;
        }
        layout.check_header()?;
        Ok(layout)
    }

    fn of_process(self, team: &Team, size: u64) -> Result<Self, CliError> {
        let TextPart { bytes, lines } = self.body.clone();
        let body = TextPart { bytes: bytes.start..size.max(bytes.start), lines };
        let part = own_part(team, self.supply, &body, self.delimiter)?;
        Ok(Self { part: Some(part), ..self })
    }

    fn check_header(&self) -> Result<(), CliError> {
        if let Some(place) = self.header.iter().position(String::is_empty) {
            let what = format!(", line 1: column {} has no name; give it one, or leave it out", place + 1);
            return Err(self.supply.fault(&what));
        }
        let mut first = HashMap::with_capacity(self.header.len());
        for (place, name) in self.header.iter().enumerate() {
            if let Some(before) = first.insert(name.as_str(), place) {
                let (before, place) = (before + 1, place + 1);
                let what = format!(
                    ", line 1: columns {before} and {place} are both called {}; rename one of them",
                    shown(name)
                );
                return Err(self.supply.fault(&what));
            }
        }
        let numbers = || self.header.iter().map(|name| cells::number(name));
        // Column names may be numbers from 0 or 1.
        let counts = |first: usize| numbers().enumerate().all(|(i, name)| name == Some((i + first) as f64));
        if numbers().all(|name| name.is_some()) && !counts(0) && !counts(1) {
            return Err(self.supply.fault(&", line 1: numbers instead of names of columns; add a header"));
        }
        Ok(())
    }

    fn wanted(&self, heading: &Heading, options: &ReadOptions) -> Vec<WantedColumn> {
        // If no requested column exists, the first is read, whatever its type.
        let kind = |name: &str| options.kind(name).or((!options.wants(name)).then_some(Kind::Category));
        heading
            .places()
            .iter()
            .map(|&place| WantedColumn { place, kind: kind(&self.header[place]) })
            .collect()
    }

    /// Finds undeclared types. Returns `true` if the first column numbers the rows, and the row count, if read.
    fn find_kinds(
        &self,
        columns: &mut [WantedColumn],
        has_open_first: bool,
        team: &Team,
    ) -> Result<(bool, Option<usize>), CliError> {
        if columns.iter().all(|column| column.kind.is_some()) {
            return Ok((false, None));
        }
        let own = self.tally(columns, has_open_first);
        if !all_succeed(team, own.is_ok())? {
            return Err(own.err().unwrap_or_else(elsewhere));
        }
        let (rows, tallies, numbering) = own?;
        let (tallies, numbering) = of_all(team, &tallies, numbering)?;
        for (column, tally) in columns.iter_mut().zip(&tallies) {
            column.kind = column.kind.or(Some(tally.kind()));
        }
        Ok((numbering.is_one(), Some(rows)))
    }

    /// Own row count, cell types, and numbering by the first column.
    fn tally(
        &self,
        columns: &[WantedColumn],
        has_open_first: bool,
    ) -> Result<(usize, Vec<Tally>, Numbering), CliError> {
        let mut rows = 0;
        let mut tallies = vec![Tally::default(); columns.len()];
        let mut numbering = Numbering::default();
        let mut body = self.body()?;
        while body.next(self)? {
            rows += 1;
            if has_open_first {
                numbering.add(&body.record[0]);
            }
            for (column, tally) in
                columns.iter().zip(&mut tallies).filter(|(column, _)| column.kind.is_none())
            {
                tally.add(&body.record[column.place]);
            }
        }
        Ok((rows, tallies, numbering))
    }

    fn count(
        &self,
        room: &mut TableMemory,
        before: usize,
        cells: &[ColumnCells],
        lines: &[u64],
    ) -> Result<usize, CliError> {
        let bytes = cells.iter().map(ColumnCells::bytes).sum::<usize>() + size_of_val(lines);
        let line = lines.last().unwrap_or(&1);
        room.take((bytes - before) as f64, || format!(", in memory up to line {line},"))?;
        Ok(bytes)
    }

    fn body(&self) -> Result<Body<'a>, CliError> {
        let mut body = Body::new(self)?;
        if self.part.is_none() {
            body.next(self)?;
        }
        Ok(body)
    }
}

impl<'a> Body<'a> {
    fn new(layout: &Layout<'a>) -> Result<Self, CliError> {
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).trim(Trim::All).delimiter(layout.delimiter);
        let columns = Some(layout.header.len()).filter(|columns| *columns > 0);
        let text = match &layout.part {
            Some(part) => Watched::part(layout.supply, part)?,
            None => Watched::new(layout.supply)?,
        };
        let text = text.separated(Separated { delimiter: layout.delimiter, columns });
        let reader = builder.buffer_capacity(1 << 16).from_reader(text);
        Ok(Self { reader, record: StringRecord::new(), line: 0 })
    }

    /// End of the last record.
    fn at(&self) -> u64 {
        self.reader.position().byte()
    }

    /// Text from the next record on, without end.
    fn rest(&self) -> TextPart {
        let position = self.reader.position();
        let start = self.reader.get_ref().mark() + position.byte();
        TextPart { bytes: start..u64::MAX, lines: position.line() - 1 }
    }

    /// Reads a record, which must be as wide as the header; `false` at the end.
    fn next(&mut self, layout: &Layout<'a>) -> Result<bool, CliError> {
        let at = self.at();
        self.reader.get_mut().begin_record(at);
        let more =
            self.reader.read_record(&mut self.record).map_err(|cause| not_a_table(layout.supply, cause))?;
        if let Some(position) = self.record.position() {
            let (before, added) =
                layout.part.as_ref().map_or((0, 0), |part| (part.lines, LINE_END.len() as u64));
            let (line, byte) = (before + position.line() - added, position.byte());
            self.line = line + self.reader.get_mut().empty_lines(byte);
            if more {
                self.check_quotes(layout, line, byte)?;
            }
        }
        if !more || layout.header.is_empty() || self.record.len() == layout.header.len() {
            return Ok(more);
        }
        let (found, wanted, line) = (self.record.len(), layout.header.len(), self.line);
        let cells = if found == 1 { "cell" } else { "cells" };
        Err(layout.supply.fault(&format!(
            ", line {line}: {found} {cells}, but the header has {wanted}; add what is missing, or quote cells that hold the separator",
        )))
    }
}

impl<'a> Body<'a> {
    fn check_quotes(&self, layout: &Layout<'a>, line: u64, byte: u64) -> Result<(), CliError> {
        let end = self.reader.position().byte();
        let Some(rest) = self.reader.get_ref().rest(byte, end) else { return Ok(()) };
        let Some(lines) = lines_before_open_quote(rest, layout.delimiter) else { return Ok(()) };
        Err(layout.supply.fault(&format!(
            ", line {}: a cell begins with a quotation mark that is never closed; close it, or write a mark that belongs to the text twice, within two others",
            line + lines as u64
        )))
    }
}

fn not_a_table(supply: &dyn Supply, cause: csv::Error) -> CliError {
    let shown = cause.to_string();
    match cause.into_kind() {
        csv::ErrorKind::Io(cause) => unreadable(supply, cause),
        _ => supply.fault(&format!(" is not a table: {shown}")),
    }
}

/// Most frequent; comma by default.
fn delimiter(line: &[u8]) -> u8 {
    let (mut counts, mut quoted) = ([0usize; DELIMITERS.len()], false);
    for &byte in line {
        quoted ^= byte == b'"';
        if let Some(which) = DELIMITERS.iter().position(|&delimiter| delimiter == byte && !quoted) {
            counts[which] += 1;
        }
    }
    let most = (0..counts.len()).rev().max_by_key(|&which| counts[which]).unwrap_or(0);
    DELIMITERS[most]
}
