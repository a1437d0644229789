//! The standard output.

use crate::error::{CliError, ErrorKind};
use std::io::{self, Write};

/// Writes to the standard output. A reader who has gone away is no error.
///
/// # Errors
/// Of kind [`Io`](ErrorKind::Io), such as a full disk behind it.
pub fn print(stdout: &mut dyn Write, bytes: &[u8]) -> Result<(), CliError> {
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // Whoever read the results has read enough of them.
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::caused(ErrorKind::Io, "cannot print the results", cause))
        }
        _ => Ok(()),
    }
}
