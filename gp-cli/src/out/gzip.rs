//! Gzip compression of text formats.

use super::format::TableFormat;
use super::table::OutTable;
use crate::error::{CliError, ErrorKind};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write};
use std::sync::Arc;

pub(super) const EXTENSION: &str = "gz";

/// Further rows become gzip members, which readers concatenate.
#[derive(Clone, Debug)]
pub(super) struct Gzip(Arc<dyn TableFormat>);

impl Gzip {
    /// `None` for non-text formats, which compress internally.
    pub(super) fn of(format: Arc<dyn TableFormat>) -> Option<Self> {
        is_text(format.as_ref()).then_some(Self(format))
    }
}

pub(super) fn is_text(format: &dyn TableFormat) -> bool {
    format.more(&OutTable::default()).is_some()
}

impl TableFormat for Gzip {
    fn extensions(&self) -> &'static [&'static str] {
        &[EXTENSION]
    }

    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError> {
        packed(&self.0.bytes(table)?)
    }

    fn more(&self, table: &OutTable) -> Option<Result<Vec<u8>, CliError>> {
        Some(self.0.more(table)?.and_then(|bytes| packed(&bytes)))
    }
}

/// One gzip member; no time stamp, for reproducibility.
fn packed(bytes: &[u8]) -> Result<Vec<u8>, CliError> {
    let pack = || -> io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes)?;
        encoder.finish()
    };
    pack().map_err(|cause| CliError::caused(ErrorKind::Io, "cannot pack by gzip", cause))
}
