//! Destinations of tables.

use super::format::TableFormat;
use super::gzip::is_text;
use super::print::print;
use super::table::OutTable;
use super::writers::Writers;
use crate::error::CliError;
use crate::files::{InputFiles, OutputFile};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Destination of a table.
#[derive(Debug)]
pub enum Destination {
    /// File and format.
    File(OutputFile, Arc<dyn TableFormat>),
    /// Standard output and format.
    Stdout(Arc<dyn TableFormat>),
}

impl Destination {
    /// For `--output`, checked in advance; no path or `-` is standard output. `format` ([`Writers::named`])
    /// overrides the extension.
    ///
    /// # Errors
    /// As [`OutputFile::prepare`], [`Writers::of`] and [`Writers::named`].
    pub fn prepare(
        path: Option<&Path>,
        (force, inputs): (bool, &InputFiles),
        format: Option<&str>,
        writers: &Writers,
    ) -> Result<Self, CliError> {
        let named = format.map(|name| writers.named(name)).transpose()?;
        match path {
            Some(path) if path != Path::new("-") => {
                let format = named.map_or_else(|| writers.of(path), Ok)?;
                Ok(Self::File(OutputFile::prepare("--output", path, force, inputs)?, format))
            }
            _ => Ok(Self::Stdout(named.unwrap_or_else(|| writers.first()))),
        }
    }

    /// `None` for standard output.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Self::File(file, _) => Some(file.path().to_owned()),
            Self::Stdout(_) => None,
        }
    }

    /// `true` if chunks can be written.
    #[must_use]
    pub fn takes_pieces(&self) -> bool {
        is_text(self.format())
    }

    pub(super) fn format(&self) -> &dyn TableFormat {
        match self {
            Self::File(_, format) | Self::Stdout(format) => format.as_ref(),
        }
    }

    /// Writes the table.
    ///
    /// # Errors
    /// [`Io`](crate::ErrorKind::Io).
    pub fn write(self, table: &OutTable, stdout: &mut dyn Write) -> Result<(), CliError> {
        match self {
            Self::File(file, format) => file.write(&format.bytes(table)?),
            Self::Stdout(format) => print(stdout, &format.bytes(table)?),
        }
    }
}
