//! Interface of table formats.

use super::frame::Frame;
use super::input::Input;
use super::options::ReadOptions;
use super::pieces::FrameStream;
use super::source::Source;
use super::supply::Supply;
use crate::error::{CliError, ErrorKind};
use gp_optim::Team;
use std::fmt::Debug;

/// Maximum table width; model memory grows with its square.
pub const MAX_COLUMNS: usize = 100_000;

/// Reader of one format.
pub trait Format: Debug + Send + Sync {
    /// Name in flags.
    fn name(&self) -> &'static str;

    /// One-line description.
    fn summary(&self) -> &'static str;

    /// File extensions, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// `true` if the first bytes are of this format.
    fn recognises(&self, bytes: &[u8]) -> bool;

    /// Reads a table.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data) with the place.
    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError>;

    /// Reads a table, if possible without loading the file.
    ///
    /// # Errors
    /// As [`read`](Self::read); [`Io`](ErrorKind::Io) if unreadable.
    fn read_input(&self, input: Input, options: &ReadOptions) -> Result<Frame, CliError> {
        self.read(&input.load()?, options)
    }

    /// `true` for databases.
    fn takes_queries(&self) -> bool {
        false
    }

    /// `true` if readable in chunks.
    fn comes_in_pieces(&self) -> bool {
        false
    }

    /// Chunks of rows.
    ///
    /// # Errors
    /// As [`read`](Self::read); [`Usage`](ErrorKind::Usage) if unsupported.
    fn pieces<'a>(
        &self,
        input: &'a Input,
        _options: &ReadOptions,
    ) -> Result<Box<dyn FrameStream + 'a>, CliError> {
        Err(self.not_in_pieces(input.name()))
    }

    /// Chunks of this process: consecutive rows, in rank order. None if each process must read all. Collective call.
    ///
    /// # Errors
    /// As [`pieces`](Self::pieces); [`Elsewhere`](ErrorKind::Elsewhere) for a lost message.
    fn own_pieces<'a>(
        &self,
        _input: &'a Input,
        _options: &ReadOptions,
        _team: &Team,
    ) -> Result<Option<Box<dyn FrameStream + 'a>>, CliError> {
        Ok(None)
    }

    /// Error: no chunk support.
    fn not_in_pieces(&self, table: &str) -> CliError {
        let format = self.name();
        let message = format!(
            "`{table}` needs to be in memory, because tables in {format} are not read in pieces; convert it to CSV, Parquet, Arrow or LibSVM, or say --stream never"
        );
        CliError::new(ErrorKind::Usage, message)
    }

    /// Approximate bytes of table and points.
    fn memory(&self, input: &Input) -> f64 {
        3.0 * input.size()
    }
}

pub(super) fn check_width(supply: &dyn Supply, columns: usize) -> Result<(), CliError> {
    if columns <= MAX_COLUMNS {
        return Ok(());
    }
    let what = format!(
        " has {columns} columns, and at most {MAX_COLUMNS} are read; is it the table turned on its side?"
    );
    Err(supply.fault(&what))
}
