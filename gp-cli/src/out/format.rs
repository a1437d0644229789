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
    /// [`Io`](crate::ErrorKind::Io), with the reason.
    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError>;

    /// Bytes of further rows; `None` if files cannot be appended to.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    fn more(&self, _table: &OutTable) -> Option<Result<Vec<u8>, CliError>> {
        None
    }
}
