//! A table as Arrow holds it.

use super::table::{Cells, OutTable};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow_schema::ArrowError;
use std::sync::Arc;

const MICROS_PER_DAY: f64 = 86_400e6;

/// All rows as one batch. Numbers that are not finite, and empty texts, are nulls.
pub(super) fn batch(table: &OutTable) -> Result<RecordBatch, ArrowError> {
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
