//! Tables of numbers with named columns.

use crate::error::{CliError, ErrorKind};
use csv::StringRecord;

/// The wanted columns of a table, each as long as the table has rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    columns: Vec<Vec<f64>>,
}

impl Table {
    /// Reads the `wanted` columns of comma-separated text with a header. Other columns are passed over; `source` is what
    /// errors call the text.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data): columns that are missing, all of them, with those there are; a cell that is no
    /// finite number, with its line, column and text; no rows at all.
    pub fn read(text: &str, source: &str, wanted: &[&str]) -> Result<Self, CliError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let unreadable = |cause: csv::Error| {
            CliError::caused(ErrorKind::Data, format!("`{source}` is not a table"), cause)
        };
        let positions = positions(reader.headers().map_err(unreadable)?, source, wanted)?;
        let mut columns = vec![Vec::new(); wanted.len()];
        for record in reader.records() {
            let record = record.map_err(unreadable)?;
            for ((column, &position), name) in columns.iter_mut().zip(&positions).zip(wanted) {
                column.push(number(&record, position, source, name)?);
            }
        }
        if columns.first().is_some_and(Vec::is_empty) {
            return Err(CliError::new(ErrorKind::Data, format!("`{source}` has no rows")));
        }
        Ok(Self { columns })
    }

    /// The column asked for at this place; empty beyond the last.
    #[must_use]
    pub fn column(&self, place: usize) -> &[f64] {
        self.columns.get(place).map_or(&[], Vec::as_slice)
    }

    /// The number of rows.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.column(0).len()
    }
}

/// Where the wanted columns stand.
fn positions(header: &StringRecord, source: &str, wanted: &[&str]) -> Result<Vec<usize>, CliError> {
    let find = |name: &&str| header.iter().position(|found| found == *name);
    let missing: Vec<&str> = wanted.iter().filter(|name| find(name).is_none()).copied().collect();
    if missing.is_empty() {
        return Ok(wanted.iter().filter_map(find).collect());
    }
    let available: Vec<&str> = header.iter().collect();
    let message = format!("`{source}` has no column {}; it has {}", missing.join(", "), available.join(", "));
    Err(CliError::new(ErrorKind::Data, message))
}

fn number(record: &StringRecord, position: usize, source: &str, name: &str) -> Result<f64, CliError> {
    let cell = record.get(position).unwrap_or_default();
    match cell.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => {
            let line = record.position().map_or(0, csv::Position::line);
            let message = format!("`{source}`, line {line}, column {name}: `{cell}` is not a finite number");
            Err(CliError::new(ErrorKind::Data, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let error = Table::read(text, "some.csv", &["x", "y"]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Data);
        error.with_causes()
    }

    #[test]
    fn columns_come_by_name_in_any_order() {
        let table = Table::read("y, other, x\n1,a,2\n3,b,4\n", "some.csv", &["x", "y"]).unwrap();
        assert_eq!((table.column(0), table.column(1)), ([2.0, 4.0].as_slice(), [1.0, 3.0].as_slice()));
        assert_eq!(table.row_count(), 2);
        assert!(table.column(2).is_empty());
    }

    #[test]
    fn faults_are_named_with_their_place() {
        assert_eq!(refusal("x,z\n1,2\n"), "`some.csv` has no column y; it has x, z");
        assert_eq!(refusal("a\n1\n"), "`some.csv` has no column x, y; it has a");
        assert_eq!(
            refusal("x,y\n1,2\n3,red\n"),
            "`some.csv`, line 3, column y: `red` is not a finite number"
        );
        assert_eq!(refusal("x,y\n1,\n"), "`some.csv`, line 2, column y: `` is not a finite number");
        assert_eq!(refusal("x,y\nNaN,1\n"), "`some.csv`, line 2, column x: `NaN` is not a finite number");
        assert_eq!(refusal("x,y\n"), "`some.csv` has no rows");
        assert!(refusal("x,y\n1,2,3\n").starts_with("`some.csv` is not a table: "));
    }
}
