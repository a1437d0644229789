//! Parquet.

use super::arrow::from_batches;
use super::format::{Format, ReadOptions};
use super::frame::Frame;
use super::guard::guarded;
use super::source::Source;
use crate::error::CliError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// Parquet, packed by snappy, zstd, lz4, gzip or not at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parquet;

impl Format for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn summary(&self) -> &'static str {
        "Parquet, packed by snappy, zstd, lz4 or gzip"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["parquet", "pq"]
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(b"PAR1")
    }

    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        guarded(source, "Parquet", || read(source, options))
    }
}

fn read(source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
    let damaged = |cause: &dyn std::error::Error| {
        source.fault(format!(" is a damaged or truncated Parquet file: {cause}"))
    };
    let bytes = source.bytes().to_vec();
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes))
        .map_err(|cause| damaged(&cause))?;
    let wanted =
        builder.schema().fields().iter().enumerate().filter(|(_, field)| options.wants(field.name()));
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted.map(|(place, _)| place));
    let reader = builder.with_projection(mask).build().map_err(|cause| damaged(&cause))?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|cause| damaged(&cause))?;
    from_batches(source, options, &schema, &batches)
}
