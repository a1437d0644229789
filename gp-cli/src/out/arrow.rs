//! Arrow IPC (Feather) output.

use super::format::TableFormat;
use super::table::{Cells, OutTable};
use crate::error::{CliError, ErrorKind};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::ArrowError;
use std::sync::Arc;

const MICROS_PER_DAY: f64 = 86_400e6;

/// Uncompressed, for compatibility.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrowWriter;

impl TableFormat for ArrowWriter {
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

/// Non-finite numbers and empty texts become null.
fn batch(table: &OutTable) -> Result<RecordBatch, ArrowError> {
    let arrays = table.columns().iter().map(|(name, cells)| (name, array(cells), true));
    RecordBatch::try_from_iter_with_nullable(arrays)
}

fn array(cells: &Cells) -> ArrayRef {
    match cells {
        Cells::Numbers(numbers) => {
            let known = numbers.iter().map(|&value| value.is_finite().then_some(value));
            Arc::new(known.collect::<Float64Array>())
        }
        Cells::Dates(days) => {
            let micros = |days: &f64| days.is_finite().then(|| (days * MICROS_PER_DAY).round() as i64);
            Arc::new(days.iter().map(micros).collect::<TimestampMicrosecondArray>())
        }
        Cells::Words(words) => {
            let known = words.iter().map(|word| Some(word).filter(|word| !word.is_empty()));
            Arc::new(known.collect::<StringArray>())
        }
    }
}
