//! JSON Lines output.

use super::format::TableFormat;
use super::table::{Cells, OutTable};
use crate::data::date_text;
use crate::error::{CliError, ErrorKind};

#[derive(Clone, Copy, Debug)]
pub(super) struct JsonLines;

impl TableFormat for JsonLines {
    fn extensions(&self) -> &'static [&'static str] {
        &["jsonl", "ndjson"]
    }

    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError> {
        let mut out = Vec::new();
        for row in 0..table.row_count() {
            for (place, (name, cells)) in table.columns().iter().enumerate() {
                out.push(if place == 0 { b'{' } else { b',' });
                json(&mut out, name)?;
                out.push(b':');
                match cells {
                    Cells::Numbers(numbers) => json(&mut out, &numbers[row])?,
                    Cells::Words(words) if words[row].is_empty() => out.extend_from_slice(b"null"),
                    Cells::Dates(days) => {
                        json(&mut out, &Some(days[row]).filter(|days| days.is_finite()).map(date_text))?;
                    }
                    Cells::Words(words) => json(&mut out, &words[row])?,
                }
            }
            out.extend_from_slice(b"}\n");
        }
        Ok(out)
    }

    fn more(&self, table: &OutTable) -> Option<Result<Vec<u8>, CliError>> {
        Some(self.bytes(table))
    }
}

fn json<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<(), CliError> {
    serde_json::to_writer(out, value)
        .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot write JSON", cause))
}
