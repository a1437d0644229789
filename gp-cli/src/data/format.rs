//! Contract of readers: formats of tables.

use super::frame::Frame;
use super::input::Input;
use super::options::ReadOptions;
use super::pieces::FrameStream;
use super::source::Source;
use super::supply::Supply;
use crate::error::{CliError, ErrorKind};
use std::fmt::Debug;

/// Columns that a table may have at most: a model of more inputs has no use for them, and takes their square in memory.
pub const MAX_COLUMNS: usize = 100_000;

/// A format of tables.
pub trait Format: Debug + Send + Sync {
    /// The name it is asked for by.
    fn name(&self) -> &'static str;

    /// One line for lists of what there is.
    fn summary(&self) -> &'static str;

    /// The ends of names of its files, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// `true` if a file begins like this format and no other.
    fn recognises(&self, bytes: &[u8]) -> bool;

    /// The table in a file.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data) with the place.
    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError>;

    /// The table in a file that need not be in memory for it.
    ///
    /// # Errors
    /// As [`read`](Self::read); of kind [`Io`](ErrorKind::Io) where the file cannot be read.
    fn read_input(&self, input: Input, options: &ReadOptions) -> Result<Frame, CliError> {
        self.read(&input.load()?, options)
    }

    /// `true` for databases, with tables by name or rows by a query.
    fn takes_queries(&self) -> bool {
        false
    }

    /// `true` if tables can be read in pieces.
    fn comes_in_pieces(&self) -> bool {
        false
    }

    /// The table in a file, some rows at a time.
    ///
    /// # Errors
    /// As [`read`](Self::read); of kind [`Usage`](ErrorKind::Usage) for a format that is read at once alone.
    fn pieces<'a>(
        &self,
        input: &'a Input,
        _options: &ReadOptions,
    ) -> Result<Box<dyn FrameStream + 'a>, CliError> {
        Err(self.not_in_pieces(input.name()))
    }

    /// The error about a table of this format that is to be read in pieces.
    fn not_in_pieces(&self, table: &str) -> CliError {
        let format = self.name();
        let message = format!(
            "`{table}` needs to be in memory, because tables in {format} are not read in pieces; convert it to CSV, Parquet, Arrow or LibSVM, or say --stream never"
        );
        CliError::new(ErrorKind::Usage, message)
    }

    /// Bytes of memory, about, that the table takes with its points.
    fn memory(&self, input: &Input) -> f64 {
        3.0 * input.size()
    }
}

/// Refuses tables that are too wide to be meant.
pub(super) fn check_width(supply: &dyn Supply, columns: usize) -> Result<(), CliError> {
    if columns <= MAX_COLUMNS {
        return Ok(());
    }
    let what = format!(
        " has {columns} columns, and at most {MAX_COLUMNS} are read; is it the table turned on its side?"
    );
    Err(supply.fault(&what))
}
