//! Parquet.

use super::arrow::{Batches, columns, heading};
use super::format::Format;
use super::frame::Frame;
use super::guard::guarded;
use super::heading::Heading;
use super::options::ReadOptions;
use super::pieces::{Pieces, rows_of_piece};
use super::source::Source;
use super::supply::{Input, Supply};
use crate::error::CliError;
use arrow_array::RecordBatchReader;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::file::reader::ChunkReader;

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
        guarded(source, FORMAT, || {
            let (heading, schema, reader) = open(source, Bytes::from(source.bytes().to_vec()), options)?;
            let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|cause| damaged(source, &cause))?;
            let columns = columns(source, &all(&schema), &schema, &batches)?;
            Ok(Frame::new(source.name(), columns, None)?.with_heading(heading))
        })
    }

    fn comes_in_pieces(&self) -> bool {
        true
    }

    fn pieces<'a>(&self, input: &'a Input, options: &ReadOptions) -> Result<Box<dyn Pieces + 'a>, CliError> {
        let (heading, schema, reader) = guarded(input, FORMAT, || open(input, input.file()?, options))?;
        let places = all(&schema);
        Ok(Box::new(Batches::new(input, FORMAT, (heading, places), schema, reader)))
    }

    /// The file, and its numbers twice, which it may hold packed to a fraction.
    fn memory(&self, input: &Input) -> f64 {
        let numbers = |file| {
            let builder = ParquetRecordBatchReaderBuilder::try_new(file).ok()?;
            let about = builder.metadata().file_metadata();
            Some(about.num_rows() as f64 * about.schema_descr().num_columns() as f64)
        };
        let numbers = guarded(input, FORMAT, || Ok(input.file().ok().and_then(numbers)));
        2.0 * input.size() + 16.0 * numbers.ok().flatten().unwrap_or_default()
    }
}

/// What errors call it.
const FORMAT: &str = "Parquet";

fn damaged(supply: &dyn Supply, cause: &dyn std::error::Error) -> CliError {
    supply.fault(&format!(" is a damaged or truncated Parquet file: {cause}"))
}

/// All places of a schema: batches have the wanted columns alone.
fn all(schema: &SchemaRef) -> Vec<usize> {
    (0..schema.fields().len()).collect()
}

/// The columns of the file, and a reader of those that are wanted with their schema.
fn open<R: ChunkReader + 'static>(
    supply: &dyn Supply,
    from: R,
    options: &ReadOptions,
) -> Result<(Heading, SchemaRef, ParquetRecordBatchReader), CliError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(from).map_err(|cause| damaged(supply, &cause))?;
    let heading = heading(options, builder.schema());
    let rows = rows_of_piece(heading.places().len());
    let mask = ProjectionMask::roots(builder.parquet_schema(), heading.places().iter().copied());
    let reader = builder
        .with_projection(mask)
        .with_batch_size(rows)
        .build()
        .map_err(|cause| damaged(supply, &cause))?;
    Ok((heading, RecordBatchReader::schema(&reader), reader))
}
