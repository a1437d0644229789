//! Text for the parser: checks UTF-8, limits lines.

use super::super::format::MAX_COLUMNS;
use super::super::line_room::LineRoom;
use super::super::supply::{Supply, unreadable};
use super::division::TextPart;
use super::open_quote::cells_of;
use crate::error::CliError;
use std::io::{self, Read};
use std::ops::Range;

/// Line end put before a part, so that the parser skips no byte-order mark in it.
pub(super) const LINE_END: &[u8] = b"\n";
const CHUNK: usize = 1 << 16;
const LONGEST: usize = 1 << 24;
/// Memory per record byte: growing buffers, and copies.
const COPIES: f64 = 6.0;
/// Bytes per cell: offset, header name.
const CELL: f64 = 64.0;
/// Number of header cells from which a table is refused.
const TOO_MANY: usize = 16 * MAX_COLUMNS;

/// UTF-8 text without byte-order mark.
pub(super) struct Watched<'a> {
    supply: &'a dyn Supply,
    from: Box<dyn Read + 'a>,
    bytes: Vec<u8>,
    offset: u64,
    /// Bytes checked, and passed on.
    checked: usize,
    given: usize,
    /// Line ends in discarded bytes.
    lines: usize,
    ended: bool,
    /// Byte-order mark length.
    mark: u64,
    /// Start of the current record.
    record: u64,
    room: LineRoom,
    separated: Separated,
}

/// Separator, and column count if known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Separated {
    pub(super) delimiter: u8,
    pub(super) columns: Option<usize>,
}

impl<'a> Watched<'a> {
    /// Refuses UTF-16.
    pub(super) fn new(supply: &'a dyn Supply) -> Result<Self, CliError> {
        let mut text = Self::through(supply, supply.reader()?);
        while text.bytes.len() < 5 && !text.ended {
            text.more().map_err(|cause| unreadable(supply, cause))?;
        }
        text.mark = if text.bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        text.bytes.drain(..text.mark as usize);
        if text.bytes.starts_with(b"\xff\xfe") || text.bytes.starts_with(b"\xfe\xff") {
            return Err(supply.fault(&" is UTF-16; save it as UTF-8"));
        }
        Ok(text)
    }

    /// Part of a text; lines count from the start of the file.
    pub(super) fn part(supply: &'a dyn Supply, part: &TextPart) -> Result<Self, CliError> {
        let Range { start, end } = part.bytes;
        let own = supply.reader_at(start)?.take(end - start);
        let text = Self::through(supply, Box::new(LINE_END.chain(own)));
        Ok(Self { lines: (part.lines as usize).saturating_sub(LINE_END.len()), ..text })
    }

    fn through(supply: &'a dyn Supply, from: Box<dyn Read + 'a>) -> Self {
        Self {
            supply,
            from,
            bytes: Vec::new(),
            offset: 0,
            checked: 0,
            given: 0,
            lines: 0,
            ended: false,
            mark: 0,
            record: 0,
            room: LineRoom::default(),
            separated: Separated::default(),
        }
    }

    pub(super) fn mark(&self) -> u64 {
        self.mark
    }

    #[must_use]
    pub(super) fn separated(self, separated: Separated) -> Self {
        Self { separated, ..self }
    }

    /// Starts a record at a position, which must not decrease.
    pub(super) fn begin_record(&mut self, at: u64) {
        self.record = at;
    }

    fn check_record(&mut self) -> Result<(), CliError> {
        let start = usize::try_from(self.record.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        let record = self.bytes.get(start..).unwrap_or_default();
        if !self.room.is_due(record.len()) {
            return Ok(());
        }
        let line = 1 + (self.lines + line_ends(&self.bytes[..self.bytes.len() - record.len()])) as u64;
        let Separated { delimiter, columns } = self.separated;
        let cells = if delimiter == 0 { 1 } else { cells_of(record, delimiter) };
        let fault =
            |what: &str| Err(self.supply.fault(&format!(", line {line}: {cells} cells or more, {what}")));
        match columns {
            Some(columns) if cells > columns => {
                fault(&format!("but the header has {columns}; quote cells that hold the separator"))
            }
            None if cells > TOO_MANY => fault(&format!(
                "and at most {MAX_COLUMNS} columns are read; is it the table turned on its side?"
            )),
            _ => {
                let copies = COPIES + CELL * cells as f64 / record.len() as f64;
                self.room.count(self.supply, (line, record.len()), copies)
            }
        }
    }

    pub(super) fn first_line(&mut self) -> Result<&[u8], CliError> {
        let mut seen = 0;
        loop {
            let end = self.bytes[seen..].iter().position(|&byte| byte == b'\n').map(|end| seen + end);
            if let Some(end) = end.or((self.ended || self.bytes.len() > LONGEST).then_some(self.bytes.len()))
            {
                return Ok(&self.bytes[..end]);
            }
            seen = self.bytes.len();
            self.more().map_err(|cause| unreadable(self.supply, cause))?;
        }
    }

    /// Empty lines from `at` on, which the parser counts to the next record; `at` must not decrease.
    pub(super) fn empty_lines(&mut self, at: u64) -> u64 {
        let place = usize::try_from(at - self.offset.min(at)).unwrap_or(usize::MAX).min(self.bytes.len());
        let empty = self.bytes[place..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
        let count = empty.filter(|&&byte| byte == b'\n').count() as u64;
        if place > CHUNK {
            self.forget(place.min(self.given));
        }
        count
    }

    fn forget(&mut self, count: usize) {
        self.lines += line_ends(&self.bytes[..count]);
        self.bytes.drain(..count);
        self.offset += count as u64;
        self.checked -= count;
        self.given -= count;
    }

    pub(super) fn rest(&self, from: u64, to: u64) -> Option<&[u8]> {
        let place = |at: u64| usize::try_from(at.checked_sub(self.offset)?).ok();
        let is_end = self.ended && place(to)? == self.bytes.len();
        if is_end { self.bytes.get(place(from)?..) } else { None }
    }

    fn more(&mut self) -> io::Result<()> {
        self.check_record().map_err(io::Error::other)?;
        let length = self.bytes.len();
        self.bytes.resize(length + CHUNK, 0);
        let outcome = self.from.read(&mut self.bytes[length..]);
        self.bytes.truncate(length + outcome.as_ref().copied().unwrap_or(0));
        match outcome {
            Ok(count) => self.ended = count == 0,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
        Ok(())
    }

    fn check(&mut self) -> io::Result<()> {
        let Err(error) = std::str::from_utf8(&self.bytes[self.checked..]) else {
            self.checked = self.bytes.len();
            return Ok(());
        };
        self.checked += error.valid_up_to();
        // Reads may split a character.
        if error.error_len().is_none() && !self.ended {
            return Ok(());
        }
        let line = 1 + self.lines + line_ends(&self.bytes[..self.checked]);
        let what = format!(", line {line}: not UTF-8 text; save the table as UTF-8");
        Err(io::Error::other(self.supply.fault(&what)))
    }
}

fn line_ends(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.check()?;
        while self.given == self.checked {
            if self.ended {
                return Ok(0);
            }
            self.more()?;
            self.check()?;
        }
        let ready = &self.bytes[self.given..self.checked];
        let count = ready.len().min(buffer.len());
        buffer[..count].copy_from_slice(&ready[..count]);
        self.given += count;
        Ok(count)
    }
}
