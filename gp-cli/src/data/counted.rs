//! The only place where bytes of tables are read to their end: counted against the memory that is left.

use super::supply::{Supply, unreadable};
use crate::error::{CliError, ErrorKind};
use crate::memory::{Budget, OverBudget, Room};
use std::io::{self, Read};

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 16;
/// Memory grows by a part of what it is.
const GROWTH: usize = 4;
/// Numbers of a table are in memory twice: in its columns, and in the points of a fit or of predictions.
const COPIES: f64 = 2.0;
/// Bytes of a number.
const NUMBER: f64 = 8.0;
/// Bytes of a column without its cells and the letters of its name.
const COLUMN: f64 = 200.0;

/// What to do about a table without room.
const ADVICE: &str = "name fewer columns with --features or --exclude; gp fit and gp predict need not hold tables in CSV, Parquet, Arrow and LibSVM in memory";

/// The memory that is left for a table, taken bit by bit.
pub(super) struct TableRoom {
    name: String,
    room: Room,
}

impl TableRoom {
    pub(super) fn new(name: &str, budget: Budget) -> Self {
        Self { name: name.to_owned(), room: budget.room() }
    }

    /// Takes bytes for `what` of the table, or refuses it.
    pub(super) fn take(&mut self, bytes: f64, what: impl FnOnce() -> String) -> Result<(), CliError> {
        let Self { name, room } = self;
        room.take(bytes, || format!("`{name}`{}", what()), ADVICE)
            .map_err(|over: OverBudget| over.of_kind(ErrorKind::Data))
    }

    /// Takes what a table of numbers needs beside its file: columns, their names and the points made of them.
    pub(super) fn take_table(&mut self, rows: usize, columns: usize, letters: usize) -> Result<(), CliError> {
        let (n, d) = (rows as f64, columns as f64);
        let bytes = COPIES * NUMBER * n * d + d * (COLUMN + 3.0 * letters as f64);
        self.take(bytes, || format!(", in memory as a table of {rows} × {columns} numbers,"))
    }
}

/// All bytes of a table, as long as there is memory for them; `expected` of them, unless more come.
pub(super) fn read_all(
    from: &mut dyn Read,
    supply: &dyn Supply,
    expected: usize,
) -> Result<Vec<u8>, CliError> {
    let (mut room, mut bytes, mut chunk) = (supply.room(), Vec::new(), vec![0; CHUNK]);
    let mut more = expected;
    loop {
        let count = match from.read(&mut chunk) {
            Ok(0) => return Ok(bytes),
            Ok(count) => count,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(unreadable(supply, cause)),
        };
        if bytes.capacity() - bytes.len() < count {
            let more = std::mem::take(&mut more).max(bytes.len() / GROWTH).max(CHUNK);
            room.take(more as f64, || " in memory".to_owned())?;
            reserve(&mut bytes, more, supply)?;
        }
        bytes.extend_from_slice(&chunk[..count]);
    }
}

/// Makes room for so many more, which a file asks for.
pub(super) fn reserve<T>(of: &mut Vec<T>, more: usize, supply: &dyn Supply) -> Result<(), CliError> {
    of.try_reserve_exact(more).map_err(|cause| {
        let what = format!("not enough memory for `{}`", supply.name());
        CliError::caused(ErrorKind::Data, what, cause)
    })
}

/// The first bytes, up to so many.
pub(super) fn read_up_to(from: &mut dyn Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
