//! Parquet.

use super::batch::batch;
use super::format::TableFormat;
use super::table::OutTable;
use crate::error::{CliError, ErrorKind};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// Parquet, packed by snappy, which every reader has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parquet;

impl TableFormat for Parquet {
    fn extensions(&self) -> &'static [&'static str] {
        &["parquet"]
    }

    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError> {
        let batch = batch(table).map_err(|cause| failed(&cause))?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties))
            .map_err(|cause| failed(&cause))?;
        writer.write(&batch).map_err(|cause| failed(&cause))?;
        writer.into_inner().map_err(|cause| failed(&cause))
    }
}

fn failed(cause: &dyn std::error::Error) -> CliError {
    CliError::caused(ErrorKind::Io, "cannot write Parquet", cause.to_string())
}
