//! Atomic output of tables in chunks.

use super::destination::Destination;
use super::format::TableFormat;
use super::print::print;
use super::table::OutTable;
use crate::data::no_room;
use crate::error::{CliError, ErrorKind};
use crate::files::OutputFile;
use std::io::{self, Read, Seek, Write};
use std::sync::Arc;
use tempfile::{SpooledTempFile, spooled_tempfile};

/// Bytes of standard output in memory, before an unnamed file.
const IN_MEMORY: usize = 1 << 22;

/// Unfinished table in a temporary file; streams in memory or unnamed file.
#[derive(Debug)]
pub struct TableWriter {
    format: Arc<dyn TableFormat>,
    to: Sink,
    begun: bool,
}

#[derive(Debug)]
enum Sink {
    File(OutputFile),
    Stream(SpooledTempFile, Option<OutputFile>),
}

impl TableWriter {
    /// Starts a table.
    #[must_use]
    pub fn begin(destination: Destination) -> Self {
        let spool = || spooled_tempfile(IN_MEMORY);
        let (to, format) = match destination {
            Destination::File(file, format) if file.is_stream() => {
                (Sink::Stream(spool(), Some(file)), format)
            }
            Destination::File(file, format) => (Sink::File(file), format),
            Destination::Stdout(format) => (Sink::Stream(spool(), None), format),
        };
        Self { format, to, begun: false }
    }

    /// Adds rows.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io); [`Usage`](ErrorKind::Usage) for formats without chunks.
    pub fn add(&mut self, table: &OutTable) -> Result<(), CliError> {
        let format = &self.format;
        let bytes = match format.more(table) {
            Some(more) if self.begun => more?,
            Some(_) => format.bytes(table)?,
            None => {
                let message = "the format of the output is not written in pieces";
                return Err(CliError::new(ErrorKind::Usage, message));
            }
        };
        self.begun = true;
        match &mut self.to {
            Sink::File(file) => file.add(&bytes),
            Sink::Stream(file, _) => {
                file.write_all(&bytes).map_err(|cause| no_room(&std::env::temp_dir(), cause))
            }
        }
    }

    /// Renames the file, or prints the buffer.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io).
    pub fn finish(self, stdout: &mut dyn Write) -> Result<(), CliError> {
        let (mut file, mut stream) = match self.to {
            Sink::File(file) => return file.finish(),
            Sink::Stream(file, stream) => (file, stream),
        };
        let lost = |cause| no_room(&std::env::temp_dir(), cause);
        file.rewind().map_err(lost)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = match file.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
                Err(cause) => return Err(lost(cause)),
            };
            match &mut stream {
                Some(stream) => stream.add(&buffer[..count])?,
                None => print(stdout, &buffer[..count])?,
            }
        }
    }
}
