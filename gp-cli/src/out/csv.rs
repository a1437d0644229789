//! CSV and TSV.

use super::format::TableFormat;
use super::table::{Cells, OutTable};
use crate::data::date_text;
use crate::error::{CliError, ErrorKind};
use gp_optim::format_number;

/// Delimited text with a header; numbers are exact.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextWriter {
    Commas,
    Tabs,
}

impl TextWriter {
    fn writer(self) -> csv::Writer<Vec<u8>> {
        let delimiter = match self {
            Self::Commas => b',',
            Self::Tabs => b'\t',
        };
        csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new())
    }
}

impl TableFormat for TextWriter {
    fn extensions(&self) -> &'static [&'static str] {
        match self {
            Self::Commas => &["csv"],
            Self::Tabs => &["tsv"],
        }
    }

    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError> {
        let mut writer = self.writer();
        writer.write_record(table.columns().iter().map(|(name, _)| name)).map_err(failed)?;
        rows(writer, table)
    }

    fn more(&self, table: &OutTable) -> Option<Result<Vec<u8>, CliError>> {
        Some(rows(self.writer(), table))
    }
}

fn rows(mut writer: csv::Writer<Vec<u8>>, table: &OutTable) -> Result<Vec<u8>, CliError> {
    for row in 0..table.row_count() {
        writer.write_record(table.columns().iter().map(|(_, cells)| cell(cells, row))).map_err(failed)?;
    }
    writer
        .into_inner()
        .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot write CSV", cause.to_string()))
}

fn failed(cause: csv::Error) -> CliError {
    CliError::caused(ErrorKind::Io, "cannot write CSV", cause)
}

fn cell(cells: &Cells, row: usize) -> String {
    match cells {
        Cells::Numbers(numbers) if numbers[row].is_finite() => format_number(numbers[row]),
        Cells::Dates(days) if days[row].is_finite() => date_text(days[row]),
        Cells::Numbers(_) | Cells::Dates(_) => String::new(),
        Cells::Words(words) => words[row].clone(),
    }
}
