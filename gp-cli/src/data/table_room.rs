//! Memory left for one table.

use crate::error::{CliError, ErrorKind};
use crate::memory::{Budget, OverBudget, Room};

/// Copies of a number: in columns, and in points.
const COPIES: f64 = 2.0;
const NUMBER: f64 = 8.0;
/// Bytes per column besides cells and name.
const COLUMN: f64 = 200.0;
const ADVICE: &str = "name fewer columns with --features or --exclude; gp fit and gp predict need not hold tables in CSV, Parquet, Arrow and LibSVM in memory";
const ADVICE_OF_LINES: &str = "is the file a table of lines, and is every quotation mark closed?";

/// Memory reserved step by step.
pub(super) struct TableMemory {
    name: String,
    room: Room,
}

impl TableMemory {
    pub(super) fn new(name: &str, budget: Budget) -> Self {
        Self { name: name.to_owned(), room: budget.room() }
    }

    /// Reserves bytes, or refuses.
    pub(super) fn take(&mut self, bytes: f64, what: impl FnOnce() -> String) -> Result<(), CliError> {
        self.take_or(bytes, what, ADVICE)
    }

    pub(super) fn take_line(&mut self, bytes: f64, what: impl FnOnce() -> String) -> Result<(), CliError> {
        self.take_or(bytes, what, ADVICE_OF_LINES)
    }

    fn take_or(&mut self, bytes: f64, what: impl FnOnce() -> String, advice: &str) -> Result<(), CliError> {
        let Self { name, room } = self;
        room.take(bytes, || format!("`{name}`{}", what()), advice)
            .map_err(|over: OverBudget| over.of_kind(ErrorKind::Data))
    }

    /// Reserves memory of columns, names and points, without the file.
    pub(super) fn take_table(&mut self, rows: usize, columns: usize, letters: usize) -> Result<(), CliError> {
        let (n, d) = (rows as f64, columns as f64);
        let bytes = COPIES * NUMBER * n * d + d * (COLUMN + 3.0 * letters as f64);
        self.take(bytes, || format!(", in memory as a table of {rows} × {columns} numbers,"))
    }
}
