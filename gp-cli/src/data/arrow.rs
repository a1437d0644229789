//! Tables of Arrow: its files, its streams, and the batches that Parquet comes as.

use super::arrow_sizes::implausible_size;
use super::column::{Column, Kind};
use super::format::{Format, ReadOptions, check_width};
use super::frame::Frame;
use super::guard::guarded;
use super::source::Source;
use crate::error::CliError;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, DataType, Schema, TimeUnit};
use std::io::Cursor;

/// Microseconds in a day.
const DAY: f64 = 86_400e6;

/// Arrow IPC, also called Feather.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrowFile;

const MAGIC: &[u8] = b"ARROW1";

impl Format for ArrowFile {
    fn name(&self) -> &'static str {
        "arrow"
    }

    fn summary(&self) -> &'static str {
        "Arrow IPC, file or stream; Feather"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["arrow", "feather", "ipc", "arrows"]
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        guarded(source, "Arrow", || read(source, options))
    }
}

fn read(source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
    // A file is a stream behind its mark, and a list of places after it that nobody needs who reads everything.
    let messages = source.bytes().strip_prefix(MAGIC).and_then(|rest| rest.strip_prefix(&[0, 0]));
    if messages.is_some() && !source.bytes().ends_with(MAGIC) {
        return Err(source.fault(" is a damaged or truncated Arrow file: its end is missing"));
    }
    let messages = messages.unwrap_or(source.bytes());
    if let Some(size) = implausible_size(messages) {
        return Err(
            source.fault(format!(" is a damaged or truncated Arrow file: {size} is no size of a part of it"))
        );
    }
    let damaged = |cause: ArrowError| source.fault(format!(" is a damaged or truncated Arrow file: {cause}"));
    let reader = StreamReader::try_new(Cursor::new(messages), None).map_err(damaged)?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<_>, _>>().map_err(damaged)?;
    from_batches(source, options, &schema, &batches)
}

/// The wanted columns of a table that comes in batches.
pub(super) fn from_batches(
    source: &Source,
    options: &ReadOptions,
    schema: &Schema,
    batches: &[RecordBatch],
) -> Result<Frame, CliError> {
    check_width(source, schema.fields().len())?;
    let mut columns = Vec::new();
    for (place, field) in schema.fields().iter().enumerate().filter(|(_, field)| options.wants(field.name()))
    {
        let arrays: Vec<&ArrayRef> = batches.iter().map(|batch| batch.column(place)).collect();
        let column = column(field.name(), field.data_type(), &arrays).map_err(|cause| {
            source.fault(format!(", column {}: {cause}; leave it out with --features", field.name()))
        })?;
        columns.push(column);
    }
    Frame::new(source.name(), columns, None)
}

/// A column, as numbers where its type allows it.
fn column(name: &str, kind: &DataType, arrays: &[&ArrayRef]) -> Result<Column, ArrowError> {
    let numbers = |kind, unit: f64, through: &[DataType]| {
        let mut out = Vec::new();
        for array in arrays {
            let cast = through.iter().try_fold((*array).clone(), |array, to| cast(&array, to))?;
            out.extend(
                cast.as_primitive::<Float64Type>().iter().map(|value| value.map_or(f64::NAN, |v| v / unit)),
            );
        }
        Ok(Column::of_numbers(name, kind, out))
    };
    match kind {
        DataType::Boolean => numbers(Kind::Boolean, 1.0, &[DataType::Float64]),
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            let instant = DataType::Timestamp(TimeUnit::Microsecond, None);
            numbers(Kind::Date, DAY, &[instant, DataType::Int64, DataType::Float64])
        }
        kind if kind.is_numeric() => numbers(Kind::Number, 1.0, &[DataType::Float64]),
        _ => words(name, arrays),
    }
}

fn words(name: &str, arrays: &[&ArrayRef]) -> Result<Column, ArrowError> {
    let texts: Vec<ArrayRef> =
        arrays.iter().map(|array| cast(array, &DataType::Utf8)).collect::<Result<_, _>>()?;
    Ok(Column::of_words(name, texts.iter().flat_map(|array| array.as_string::<i32>().iter())))
}
