//! Tables with columns separated by blanks.

use gp_cli::data::{Column, Format, Frame, Heading, Kind, ReadOptions, Source, date_text};
use gp_cli::out::{Cells, OutTable, TableFormat};
use gp_cli::{CliError, ErrorKind};
use std::fmt::Write;

const EXTENSIONS: &[&str] = &["spaced"];

/// Reads this format; words have no blanks.
#[derive(Clone, Copy, Debug)]
pub struct SpacedReader;

/// Writes this format.
#[derive(Clone, Copy, Debug)]
pub struct SpacedWriter;

impl Format for SpacedReader {
    fn name(&self) -> &'static str {
        "spaced"
    }

    fn summary(&self) -> &'static str {
        "columns with blanks between"
    }

    fn extensions(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn recognises(&self, _bytes: &[u8]) -> bool {
        false
    }

    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let text = std::str::from_utf8(source.bytes()).map_err(|_| source.fault(" is not UTF-8 text"))?;
        let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<&str>>());
        let header = lines.next().unwrap_or_default();
        let rows: Vec<Vec<&str>> = lines.collect();
        let wrong = |row: &Vec<&str>| row.len() != header.len();
        if let Some(row) = rows.iter().position(wrong) {
            let (found, wanted) = (rows[row].len(), header.len());
            let what = format!(", line {}: {found} cells, but the header has {wanted}", row + 2);
            return Err(source.fault(what));
        }
        let column = |place: usize| {
            let cells = || rows.iter().map(move |row| row[place]);
            let numbers: Result<Vec<f64>, _> = cells().map(str::parse).collect();
            match numbers {
                Ok(numbers) => Column::of_numbers(header[place], Kind::Number, numbers),
                Err(_) => Column::of_words(header[place], cells().map(Some)),
            }
        };
        let heading = Heading::new(header.iter().map(|&name| name.to_owned()).collect(), options);
        let columns = heading.places().iter().map(|&place| column(place)).collect();
        let lines = (2..).take(rows.len()).collect();
        Ok(Frame::new(source.name(), columns, Some(lines))?.with_heading(heading))
    }
}

impl TableFormat for SpacedWriter {
    fn extensions(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn bytes(&self, table: &OutTable) -> Result<Vec<u8>, CliError> {
        let names: Vec<&str> = table.columns().iter().map(|(name, _)| name.as_str()).collect();
        let mut text = names.join(" ") + "\n";
        for row in 0..table.row_count() {
            for (_, cells) in table.columns() {
                match cells {
                    Cells::Numbers(numbers) => write!(text, "{} ", numbers[row]),
                    Cells::Dates(days) => write!(text, "{} ", date_text(days[row])),
                    Cells::Words(words) => write!(text, "{} ", words[row]),
                }
                .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot write the table", cause))?;
            }
            text.push('\n');
        }
        Ok(text.into_bytes())
    }
}
