//! Sparse LibSVM rows.

use super::cells;
use super::column::{Column, Kind};
use super::counted::reserve;
use super::format::{Format, check_width};
use super::frame::Frame;
use super::heading::Heading;
use super::input::Input;
use super::line_room::LineRoom;
use super::options::ReadOptions;
use super::pieces::{FrameStream, WHOLE, rows_of_piece};
use super::source::Source;
use super::supply::{Supply, unreadable};
use crate::error::CliError;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

/// LibSVM, `label 1:0.5 7:2`, as columns `label`, `x1`, `x2`, …; missing entries are 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct LibSvm;

impl Format for LibSvm {
    fn name(&self) -> &'static str {
        "libsvm"
    }

    fn summary(&self) -> &'static str {
        "lines such as `1 1:0.5 7:2`; columns are label, x1, x2, …"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["libsvm", "svm", "svmlight"]
    }

    fn recognises(&self, _bytes: &[u8]) -> bool {
        false
    }

    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let whole = Lines::begin(source, options, WHOLE)?.next_piece()?;
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
        Ok(Box::new(Lines::begin(input, options, rows_of_piece(input.budget()))?))
    }

    /// Text plus two numbers per row and index, extrapolated.
    fn memory(&self, input: &Input) -> f64 {
        let lines = input.head().split(|&byte| byte == b'\n').map(|line| String::from_utf8_lossy(line));
        let (mut count, mut width) = (0.0, 0);
        for line in lines {
            let entries = line.split_ascii_whitespace().skip(1).filter_map(entry);
            width = entries.map(|(index, _)| index).max().unwrap_or(0).max(width);
            count += 1.0;
        }
        let rows = input.size() * count / input.head().len().max(1) as f64;
        input.size() + rows * 16.0 * (width + 2) as f64
    }
}

const NAME: usize = 6;
const CHUNK: u64 = 1 << 16;
/// Memory per byte: text and entries, in growing buffers.
const COPIES: f64 = 10.0;

/// Lines, read twice: for the largest index, then for values.
struct Lines<'a> {
    body: LineCells<'a>,
    heading: Arc<Heading>,
    /// Position among columns read.
    slots: Vec<Option<usize>>,
    rows: usize,
    left: usize,
    count: usize,
}

struct LineCells<'a> {
    supply: &'a dyn Supply,
    from: BufReader<Box<dyn Read + 'a>>,
    text: Vec<u8>,
    line: u64,
    room: LineRoom,
}

/// Non-zero entries.
struct SparseRow {
    line: u64,
    label: f64,
    entries: Vec<(usize, f64)>,
}

impl<'a> Lines<'a> {
    fn begin(
        supply: &'a dyn Supply,
        options: &ReadOptions,
        rows: impl Fn(usize) -> usize,
    ) -> Result<Self, CliError> {
        let (mut body, mut width, mut count) = (LineCells::new(supply)?, 0, 0);
        while let Some(row) = body.next()? {
            width = row.entries.iter().map(|(index, _)| *index).fold(width, usize::max);
            count += 1;
        }
        check_width(supply, width)?;
        let rows = rows(width + 1);
        let names = std::iter::once("label".to_owned()).chain((1..=width).map(|index| format!("x{index}")));
        let heading = Heading::new(names.collect(), options);
        // Rows are dense in memory.
        supply.room().take_table(rows.min(count), heading.places().len(), NAME)?;
        let mut slots = vec![None; width + 1];
        heading.places().iter().enumerate().for_each(|(slot, &place)| slots[place] = Some(slot));
        Ok(Self { body: LineCells::new(supply)?, heading: heading.into(), slots, rows, left: count, count })
    }
}

impl FrameStream for Lines<'_> {
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError> {
        let Self { body, heading, slots, rows, left, .. } = self;
        let count = (*rows).min(*left);
        *left -= count;
        if count == 0 {
            return Ok(None);
        }
        let changed = || body_changed(body.supply);
        let (mut columns, mut lines) = (zeros(count, heading.places().len(), body.supply)?, Vec::new());
        while lines.len() < count {
            let SparseRow { line, label, entries } = body.next()?.ok_or_else(changed)?;
            for (index, value) in std::iter::once((0, label)).chain(entries) {
                if let Some(slot) = slots.get(index).ok_or_else(changed)? {
                    columns[*slot][lines.len()] = value;
                }
            }
            lines.push(line);
        }
        let names = heading.places().iter().map(|&place| &heading.names()[place]);
        let columns =
            names.zip(columns).map(|(name, numbers)| Column::of_numbers(name, Kind::Number, numbers));
        let frame = Frame::new(body.supply.name(), columns.collect(), Some(lines))?;
        Ok(Some(frame.with_heading(heading.clone())))
    }

    fn row_count(&self) -> Option<usize> {
        Some(self.count)
    }
}

fn zeros(rows: usize, columns: usize, supply: &dyn Supply) -> Result<Vec<Vec<f64>>, CliError> {
    let column = |_| {
        let mut numbers = Vec::new();
        reserve(&mut numbers, rows, supply)?;
        numbers.resize(rows, 0.0);
        Ok(numbers)
    };
    (0..columns).map(column).collect()
}

fn body_changed(supply: &dyn Supply) -> CliError {
    supply.fault(&" changed while it was read")
}

impl<'a> LineCells<'a> {
    fn new(supply: &'a dyn Supply) -> Result<Self, CliError> {
        let from = BufReader::with_capacity(1 << 16, supply.reader()?);
        Ok(Self { supply, from, text: Vec::new(), line: 0, room: LineRoom::default() })
    }

    fn read_line(&mut self) -> Result<bool, CliError> {
        self.text.clear();
        loop {
            let read = (&mut self.from).take(CHUNK).read_until(b'\n', &mut self.text);
            let count = read.map_err(|cause| unreadable(self.supply, cause))?;
            if count == 0 || self.text.ends_with(b"\n") {
                self.line += 1;
                return Ok(!self.text.is_empty());
            }
            if self.room.is_due(self.text.len()) {
                self.room.count(self.supply, (self.line + 1, self.text.len()), COPIES)?;
            }
        }
    }

    fn next(&mut self) -> Result<Option<SparseRow>, CliError> {
        while self.read_line()? {
            let text = std::str::from_utf8(&self.text).map_err(|_| self.supply.fault(&" is not text"))?;
            let content = text.split_once('#').map_or(text, |(front, _)| front);
            let mut words = content.split_ascii_whitespace();
            let Some(label) = words.next() else { continue };
            let fault =
                |what: &str, word: &str| self.supply.fault(&format!(", line {}: `{word}` {what}", self.line));
            let label =
                cells::number(label).ok_or_else(|| fault("is no label: a number is wanted", label))?;
            let entries = words.filter(|word| !word.starts_with("qid:")).map(|word| {
                entry(word).ok_or_else(|| fault("is no entry such as 3:0.5, with 1 the first index", word))
            });
            let entries = entries.collect::<Result<_, _>>()?;
            return Ok(Some(SparseRow { line: self.line, label, entries }));
        }
        Ok(None)
    }
}

/// Index (from 1) and value.
fn entry(word: &str) -> Option<(usize, f64)> {
    let (index, value) = word.split_once(':')?;
    let index = index.parse().ok().filter(|&index: &usize| index >= 1)?;
    Some((index, cells::number(value)?))
}
