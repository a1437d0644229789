//! Standard output.

use crate::error::{CliError, ErrorKind};
use std::io::{self, Write};

/// Writes bytes; a closed pipe is no error.
///
/// # Errors
/// [`Io`](ErrorKind::Io), as for full disks.
pub fn print(stdout: &mut dyn Write, bytes: &[u8]) -> Result<(), CliError> {
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        // The reader stopped reading.
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
            Err(CliError::caused(ErrorKind::Io, "cannot print the results", cause))
        }
        _ => Ok(()),
    }
}
