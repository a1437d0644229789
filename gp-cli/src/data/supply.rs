//! Table bytes, read repeatedly.

use super::table_room::TableMemory;
use crate::error::{CliError, ErrorKind};
use crate::memory::Budget;
use std::io::{self, Read};

pub(super) trait Supply {
    /// Name in errors.
    fn name(&self) -> &str;

    /// Unpacked bytes. Read errors may wrap a [`CliError`]; [`own_error`] unwraps it.
    fn reader(&self) -> Result<Box<dyn Read + '_>, CliError>;

    /// Unpacked bytes from a position; none past the end.
    fn reader_at(&self, at: u64) -> Result<Box<dyn Read + '_>, CliError>;

    fn budget(&self) -> Budget;

    fn room(&self) -> TableMemory {
        TableMemory::new(self.name(), self.budget())
    }

    fn fault(&self, what: &dyn std::fmt::Display) -> CliError {
        CliError::new(ErrorKind::Data, format!("`{}`{what}", self.name()))
    }
}

/// Error of the reader, or for unreadable bytes.
pub(super) fn unreadable(supply: &dyn Supply, cause: io::Error) -> CliError {
    own_error(cause, |cause| cannot_read(supply.name(), cause))
}

pub(super) fn cannot_read(name: &str, cause: io::Error) -> CliError {
    CliError::caused(ErrorKind::Io, format!("cannot read `{name}`"), cause)
}

/// Wrapped own error, or `otherwise`.
pub(super) fn own_error(error: io::Error, otherwise: impl FnOnce(io::Error) -> CliError) -> CliError {
    match error.downcast::<CliError>() {
        Ok(own) => own,
        Err(error) => otherwise(error),
    }
}
