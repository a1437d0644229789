//! Parquet.

use super::format::TableFormat;
use super::table::{Cells, OutTable};
use crate::error::{CliError, ErrorKind};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::sync::Arc;

const MICROS_PER_DAY: f64 = 86_400e6;

/// Parquet, packed by snappy, which every reader has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parquet;

impl TableFormat for Parquet {
    fn extensions(&self) -> &'static [&'static str] {
        &["parquet"]
    }

    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError> {
        let arrays = table.columns().iter().map(|(name, cells)| (name, array(cells), true));
        let batch = RecordBatch::try_from_iter_with_nullable(arrays).map_err(|cause| failed(&cause))?;
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

fn array(cells: &Cells) -> ArrayRef {
    match cells {
        Cells::Numbers(numbers) => Arc::new(
            numbers.iter().map(|&value| value.is_finite().then_some(value)).collect::<Float64Array>(),
        ),
        Cells::Dates(days) => {
            let micros = |days: &f64| days.is_finite().then(|| (days * MICROS_PER_DAY).round() as i64);
            Arc::new(days.iter().map(micros).collect::<TimestampMicrosecondArray>())
        }
        Cells::Words(words) => Arc::new(words.iter().map(Some).collect::<StringArray>()),
    }
}
