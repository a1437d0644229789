//! Arrow IPC files, also called Feather.

use super::batch::batch;
use super::format::TableFormat;
use super::table::OutTable;
use crate::error::{CliError, ErrorKind};
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;

/// An Arrow IPC file, not compressed: every reader has that.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrowFile;

impl TableFormat for ArrowFile {
    fn extensions(&self) -> &'static [&'static str] {
        &["arrow", "feather"]
    }

    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError> {
        written(table)
            .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot write Arrow", cause.to_string()))
    }
}

fn written(table: &OutTable) -> Result<Vec<u8>, ArrowError> {
    let batch = batch(table)?;
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema())?;
    writer.write(&batch)?;
    writer.finish()?;
    writer.into_inner()
}
