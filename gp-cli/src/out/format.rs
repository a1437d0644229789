//! Interface of table writers.

use super::table::OutTable;
use crate::error::CliError;
use std::fmt::Debug;

/// Output format of tables.
pub trait TableFormat: Debug + Send + Sync {
    /// File extensions, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// Bytes of a file.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io), with reason.
    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError>;

    /// Further rows; `None` if files cannot grow.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    fn more(&self, _table: &OutTable) -> Option<Result<Vec<u8>, CliError>> {
        None
    }
}
