//! Parquet format.

mod cells;
mod groups;
mod header;
mod pages;

use super::format::{Format, check_width};
use super::frame::Frame;
use super::guard::guarded;
use super::heading::Heading;
use super::input::Input;
use super::options::ReadOptions;
use super::pandas;
use super::pieces::{FrameStream, rows_of_piece};
use super::source::Source;
use super::supply::Supply;
use crate::error::CliError;
use crate::own_rows::share_of_rows;
use bytes::Bytes;
use gp_optim::Team;
use groups::Rows;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::ChunkReader;
use std::fs::File;
use std::sync::Arc;

/// Parquet, uncompressed or with snappy, zstd, lz4 or gzip.
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
            let (heading, mut rows) = open(source, Bytes::from(source.bytes().to_vec()), options)?;
            let columns = rows.next(usize::MAX)?.unwrap_or_default();
            Ok(Frame::new(source.name(), columns, None)?.with_heading(heading))
        })
    }

    fn comes_in_pieces(&self) -> bool {
        true
    }

    fn pieces<'a>(
        &self,
        input: &'a Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn FrameStream + 'a>, CliError> {
        let (heading, rows) = guarded(input, FORMAT, || open(input, input.file()?, options))?;
        let most = rows_of_piece(input.budget())(heading.places().len());
        let left = usize::MAX;
        Ok(Box::new(FilePieces { supply: input, heading: heading.into(), rows, most, before: 0, left }))
    }

    fn own_pieces<'a>(
        &self,
        input: &'a Input,
        options: &ReadOptions,
        team: &Team,
    ) -> Result<Option<Box<dyn FrameStream + 'a>>, CliError> {
        let (heading, mut rows) = guarded(input, FORMAT, || open(input, input.file()?, options))?;
        let most = rows_of_piece(input.budget())(heading.places().len());
        let Some(count) = rows.count() else { return Ok(None) };
        let own = share_of_rows(team, team.rank(), count);
        guarded(input, FORMAT, || rows.skip(own.start))?;
        let (before, left) = (own.start as u64, own.len());
        Ok(Some(Box::new(FilePieces { supply: input, heading: heading.into(), rows, most, before, left })))
    }

    /// Bytes of the file, and of numbers twice: files may be compressed.
    fn memory(&self, input: &Input) -> f64 {
        let numbers = |file| {
            let about = about(&file).ok()?;
            let about = about.file_metadata();
            Some(about.num_rows() as f64 * about.schema_descr().num_columns() as f64)
        };
        let numbers = guarded(input, FORMAT, || Ok(input.file().ok().and_then(numbers)));
        2.0 * input.size() + 16.0 * numbers.ok().flatten().unwrap_or_default()
    }
}

const FORMAT: &str = "Parquet";

fn damaged(supply: &dyn Supply, cause: &dyn std::error::Error) -> CliError {
    supply.fault(&format!(" is a damaged or truncated Parquet file: {cause}"))
}

fn about(from: &impl ChunkReader) -> Result<ParquetMetaData, ParquetError> {
    ParquetMetaDataReader::new().parse_and_finish(from)
}

/// Heading, and reader of requested columns.
fn open<'a, R: ChunkReader + 'static>(
    supply: &'a dyn Supply,
    from: R,
    options: &ReadOptions,
) -> Result<(Heading, Rows<'a, R>), CliError> {
    let about = about(&from).map_err(|cause| damaged(supply, &cause))?;
    let fields = about.file_metadata().schema_descr().root_schema().get_fields();
    check_width(supply, fields.len())?;
    let names = fields.iter().map(|field| field.name().to_owned()).collect();
    let heading = Heading::with_indices(names, &indices(&about), options);
    let rows = Rows::new(supply, (from, about), &heading)?;
    Ok((heading, rows))
}

fn indices(about: &ParquetMetaData) -> Vec<String> {
    let entries = about.file_metadata().key_value_metadata().into_iter().flatten();
    let text = entries.filter(|entry| entry.key == pandas::KEY).find_map(|entry| entry.value.as_deref());
    text.map(pandas::index_columns).unwrap_or_default()
}

struct FilePieces<'a> {
    supply: &'a dyn Supply,
    heading: Arc<Heading>,
    rows: Rows<'a, File>,
    most: usize,
    before: u64,
    /// Maximum rows to read.
    left: usize,
}

impl FrameStream for FilePieces<'_> {
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError> {
        let Self { supply, heading, rows, most, before, left } = self;
        let most = (*most).min(*left);
        let Some(columns) = guarded(*supply, FORMAT, || rows.next(most))? else { return Ok(None) };
        let piece = Frame::behind(*before, supply.name(), columns)?.with_heading(heading.clone());
        *before += piece.row_count() as u64;
        *left -= piece.row_count();
        Ok(Some(piece))
    }

    fn row_count(&self) -> Option<usize> {
        self.rows.count().map(|count| count.min(self.left))
    }
}
