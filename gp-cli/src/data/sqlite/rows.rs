//! Typed columns of a statement.

use super::super::frame::{Frame, not_of_kind};
use super::super::heading::Heading;
use super::super::kinds::{ColumnCells, Tally};
use super::super::options::ReadOptions;
use super::database::Database;
use crate::data::{Column, Kind};
use crate::error::{CliError, ErrorKind};
use gp_optim::format_number;
use rusqlite::Statement;
use rusqlite::types::ValueRef;
use std::sync::Arc;

/// Rows or bytes between memory checks.
const COUNTED: u64 = 1024;
const COUNTED_BYTES: usize = 1 << 18;

/// Rows of a statement, run first for column types: SQLite has types of values only.
pub(super) struct Selected<'a> {
    database: &'a Database,
    statement: Statement<'a>,
    names: Vec<String>,
    heading: Arc<Heading>,
    kinds: Vec<Option<Kind>>,
}

impl Selected<'_> {
    /// Calls `read` with the requested rows, in one snapshot.
    pub(super) fn with<T>(
        database: &Database,
        options: &ReadOptions,
        read: impl FnOnce(&mut Selected<'_>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let connection = database.connect()?;
        let statement = database.statement(&connection, options)?;
        read(&mut Selected::new(database, statement, options))
    }
}

impl<'a> Selected<'a> {
    fn new(database: &'a Database, statement: Statement<'a>, options: &ReadOptions) -> Self {
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let heading = Heading::new(names.clone(), options);
        // If no requested column exists, the first is read, whatever its type.
        let kind = |name: &str| options.kind(name).or((!options.wants(name)).then_some(Kind::Category));
        let kinds = heading.places().iter().map(|&place| kind(&names[place])).collect();
        Self { database, statement, names, heading: heading.into(), kinds }
    }

    /// Calls `each` per chunk while it returns `true`.
    pub(super) fn for_each(
        &mut self,
        rows_of_piece: impl Fn(usize) -> usize,
        each: &mut dyn FnMut(Frame) -> bool,
    ) -> Result<(), CliError> {
        self.find_kinds()?;
        let Self { database, statement, names, heading, kinds } = self;
        let (places, most) = (heading.places(), rows_of_piece(heading.places().len()));
        let fault = |cause| database.fault(&cause);
        let mut rows = statement.query([]).map_err(fault)?;
        let (mut cells, mut before, mut count) = (begin(kinds), 0, 0);
        let (mut room, mut counted, mut letters) = (database.room(), 0, 0);
        let mut piece = |cells: Vec<ColumnCells>, before: u64| {
            let named = places.iter().zip(cells).map(|(&place, cells)| cells.into_column(&names[place]));
            let columns: Vec<Column> = named.collect();
            Ok::<_, CliError>(each(
                Frame::behind(before, database.name(), columns)?.with_heading(heading.clone()),
            ))
        };
        while let Some(row) = rows.next().map_err(fault)? {
            for (&place, cells) in places.iter().zip(&mut cells) {
                let value = row.get_ref(place).map_err(fault)?;
                letters += value.as_bytes().map_or(0, <[u8]>::len);
                push(cells, value, |what, kind| {
                    let wanted = (kind, heading.flag(place));
                    cell_fault(database.name(), before + count, &names[place], what, wanted)
                })?;
            }
            count += 1;
            if count.is_multiple_of(COUNTED) || letters > COUNTED_BYTES {
                let bytes = cells.iter().map(ColumnCells::bytes).sum::<usize>();
                room.take((bytes - counted) as f64, || format!(", in memory up to row {}", before + count))?;
                (counted, letters) = (bytes, 0);
            }
            if count as usize == most {
                if !piece(std::mem::replace(&mut cells, begin(kinds)), before)? {
                    return Ok(());
                }
                (before, count) = (before + count, 0);
                (room, counted) = (database.room(), 0);
            }
        }
        if count > 0 {
            piece(cells, before)?;
        }
        Ok(())
    }

    fn find_kinds(&mut self) -> Result<(), CliError> {
        let Self { database, statement, heading, kinds, .. } = self;
        let open: Vec<usize> = (0..kinds.len()).filter(|&column| kinds[column].is_none()).collect();
        if open.is_empty() {
            return Ok(());
        }
        let fault = |cause| database.fault(&cause);
        let mut tallies = vec![Tally::default(); kinds.len()];
        let mut rows = statement.query([]).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            for &column in &open {
                match row.get_ref(heading.places()[column]).map_err(fault)? {
                    ValueRef::Integer(_) | ValueRef::Real(_) => tallies[column].add_number(),
                    ValueRef::Text(text) => tallies[column].add_word(&String::from_utf8_lossy(text)),
                    ValueRef::Null | ValueRef::Blob(_) => {}
                }
            }
        }
        open.iter().for_each(|&column| kinds[column] = Some(tallies[column].kind()));
        Ok(())
    }
}

fn begin(kinds: &[Option<Kind>]) -> Vec<ColumnCells> {
    kinds.iter().map(|kind| ColumnCells::new(*kind)).collect()
}

#[derive(Clone, Copy)]
enum ValueFault<'v> {
    /// Neither text, number nor null.
    Bytes,
    Type(&'v str),
}

/// Appends a value; `fault` makes the error.
fn push(
    cells: &mut ColumnCells,
    value: ValueRef<'_>,
    fault: impl Fn(ValueFault<'_>, Kind) -> CliError,
) -> Result<(), CliError> {
    let text = match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => match cells.push_number(number as f64) {
            true => return Ok(()),
            false => number.to_string(),
        },
        ValueRef::Real(number) => match number.is_finite() && cells.push_number(number) {
            true => return Ok(()),
            false => format_number(number),
        },
        ValueRef::Text(text) => String::from_utf8_lossy(text).trim().to_owned(),
        ValueRef::Blob(_) => return Err(fault(ValueFault::Bytes, Kind::Category)),
    };
    cells.push(&text).map_err(|kind| fault(ValueFault::Type(&text), kind))
}

fn cell_fault(
    source: &str,
    row: u64,
    name: &str,
    what: ValueFault<'_>,
    wanted: (Kind, Option<&str>),
) -> CliError {
    let place = format!("row {}", row + 1);
    match what {
        ValueFault::Type(text) => not_of_kind(source, &place, name, text, wanted),
        ValueFault::Bytes => {
            let message = format!(
                "`{source}`, {place}, column {name}: a BLOB, which is neither a number nor text; leave the column out with --exclude {name}, or select others with --query"
            );
            CliError::new(ErrorKind::Data, message)
        }
    }
}
