//! Folds from a file (`--splits`).

use crate::data::{FILL_OR_DROP, Formats, ReadOptions};
use crate::error::{CliError, ErrorKind};
use std::collections::BTreeMap;

/// File row numbers as positions among kept rows.
pub(super) fn left_in_splits(
    parts: Vec<Vec<usize>>,
    left_out: &[usize],
) -> Result<Vec<Vec<usize>>, CliError> {
    let place = |row: usize| left_out.binary_search(&row).err().map(|before| row - before);
    let left: Vec<Vec<usize>> =
        parts.into_iter().map(|rows| rows.into_iter().filter_map(place).collect()).collect();
    match left.iter().position(Vec::is_empty) {
        None => Ok(left),
        Some(part) => {
            let message = format!("all rows of split {} miss a value; nothing is left to score on", part + 1);
            Err(CliError::new(ErrorKind::Data, message))
        }
    }
}

pub(super) fn splits(path: &str, rows: usize, formats: &Formats) -> Result<Vec<Vec<usize>>, CliError> {
    let frame = formats.open(path, &ReadOptions::default())?;
    let columns = frame.require(&["split", "test_row"])?;
    frame.refuse_missing(&columns, FILL_OR_DROP)?;
    let (Some(split), Some(test)) = (columns[0].numbers(), columns[1].numbers()) else {
        return Err(CliError::new(ErrorKind::Data, format!("`{path}`: split and test_row must be numbers")));
    };
    let mut parts: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (place, (&split, &row)) in split.iter().zip(test).enumerate() {
        if row.fract() != 0.0 || row < 0.0 || row >= rows as f64 {
            return Err(frame.fault(
                place,
                "test_row",
                &format!("{row} is no row of the table, which has {rows}"),
            ));
        }
        if split.fract() != 0.0 || split < 0.0 {
            return Err(frame.fault(place, "split", &format!("{split} is no number of a split")));
        }
        parts.entry(split as u64).or_default().push(row as usize);
    }
    Ok(parts.into_values().collect())
}
