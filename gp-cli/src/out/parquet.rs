//! Parquet output.

use super::format::TableFormat;
use super::table::{Cells, OutTable};
use crate::error::{CliError, ErrorKind};
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

const MICROS_PER_DAY: f64 = 86_400e6;

/// Snappy compression, for compatibility.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParquetWriter;

impl TableFormat for ParquetWriter {
    fn extensions(&self) -> &'static [&'static str] {
        &["parquet"]
    }

    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError> {
        written(table)
            .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot write Parquet", cause.to_string()))
    }
}

/// One row group; non-finite numbers and empty texts are missing.
fn written(table: &OutTable) -> Result<Vec<u8>, ParquetError> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = SerializedFileWriter::new(Vec::new(), schema(table)?, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for (_, cells) in table.columns() {
        if let Some(mut column) = group.next_column()? {
            write_cells(cells, &mut column)?;
            column.close()?;
        }
    }
    group.close()?;
    file.into_inner()
}

fn schema(table: &OutTable) -> Result<TypePtr, ParquetError> {
    let field = |(name, cells): &(String, Cells)| {
        let (physical, logical) = match cells {
            Cells::Numbers(_) => (PhysicalType::DOUBLE, None),
            Cells::Dates(_) => (PhysicalType::INT64, Some(LogicalType::timestamp(false, TimeUnit::MICROS))),
            Cells::Words(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        Ok(Arc::new(field.build()?))
    };
    let fields = table.columns().iter().map(field).collect::<Result<_, ParquetError>>()?;
    Ok(Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?))
}

fn write_cells(cells: &Cells, out: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
    match cells {
        Cells::Numbers(numbers) => {
            let known = numbers.iter().map(|&number| number.is_finite().then_some(number));
            write_known::<DoubleType>(known, out)
        }
        Cells::Dates(days) => {
            let micros = |days: &f64| days.is_finite().then(|| (days * MICROS_PER_DAY).round() as i64);
            write_known::<Int64Type>(days.iter().map(micros), out)
        }
        Cells::Words(words) => {
            let known = words.iter().map(|word| (!word.is_empty()).then(|| ByteArray::from(word.as_str())));
            write_known::<ByteArrayType>(known, out)
        }
    }
}

fn write_known<T: DataType>(
    cells: impl Iterator<Item = Option<T::T>>,
    out: &mut SerializedColumnWriter<'_>,
) -> Result<(), ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    for cell in cells {
        levels.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    out.typed::<T>().write_batch(&values, Some(&levels), None).map(drop)
}
