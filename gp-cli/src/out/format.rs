//! Contract of writers: formats of written tables.

use super::table::OutTable;
use crate::error::CliError;
use std::fmt::Debug;

/// A format that tables are written in.
pub trait TableFormat: Debug + Send + Sync {
    /// The ends of names of its files, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// The bytes of a file.
    ///
    /// # Errors
    /// Of kind [`Io`](crate::ErrorKind::Io), with the reason.
    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError>;

    /// The bytes of further rows of the same columns, to go behind a file; nothing where files cannot be continued so.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    fn more(&self, _table: &OutTable) -> Option<Result<Vec<u8>, CliError>> {
        None
    }
}
