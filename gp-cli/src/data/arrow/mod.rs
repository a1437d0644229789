//! Tables of Arrow: its files and its streams.

mod cells;
mod sizes;

use super::column::{Column, LevelBuilder};
use super::counted::read_up_to;
use super::format::{Format, check_width};
use super::frame::Frame;
use super::guard::guarded;
use super::heading::Heading;
use super::options::ReadOptions;
use super::pieces::Pieces;
use super::source::Source;
use super::supply::{Input, Supply, unreadable};
use crate::error::CliError;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::reader::StreamReader;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use sizes::{Claims, claims};
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

/// Arrow IPC, also called Feather.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrowFile;

/// A file is a stream behind its mark, and a list of places after it that nobody needs who reads everything.
const MAGIC: &[u8; 6] = b"ARROW1";
const MARK: &[u8; 8] = b"ARROW1\0\0";
/// Bytes that writers may add to the mark, to begin at a multiple of a power of two.
const LONGEST_PADDING: u64 = 512;

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
        guarded(source, FORMAT, || {
            let reader = open(source, Cursor::new(source.bytes()), |all, _| all)?;
            let schema = reader.schema();
            let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|cause| damaged(source, &cause))?;
            let heading = heading(options, &schema);
            let columns = columns(source, heading.places(), &schema, &batches)?;
            Ok(Frame::new(source.name(), columns, None)?.with_heading(heading))
        })
    }

    fn comes_in_pieces(&self) -> bool {
        true
    }

    fn pieces<'a>(&self, input: &'a Input, options: &ReadOptions) -> Result<Box<dyn Pieces + 'a>, CliError> {
        let reader =
            guarded(input, FORMAT, || open(input, BufReader::new(input.file()?), |_, largest| largest))?;
        let schema = reader.schema();
        let heading = heading(options, &schema);
        let places = heading.places().to_vec();
        Ok(Box::new(Batches {
            supply: input,
            heading: heading.into(),
            places,
            schema,
            from: reader,
            rows: 0,
        }))
    }
}

/// Where the stream begins behind the mark: some writers fill up with zeros, and no message begins with such.
fn behind_padding(from: &mut (impl Read + Seek)) -> io::Result<u64> {
    let padding = read_up_to(from, LONGEST_PADDING)?;
    let zeros = padding.chunks_exact(MARK.len()).take_while(|block| block.iter().all(|&byte| byte == 0));
    from.seek(SeekFrom::Start((MARK.len() * (1 + zeros.count())) as u64))
}

/// What errors call it.
const FORMAT: &str = "Arrow";

fn damaged(supply: &dyn Supply, cause: &dyn std::error::Error) -> CliError {
    supply.fault(&format!(" is a damaged or truncated Arrow file: {cause}"))
}

/// A reader of the batches of a file or stream that claims no sizes it cannot have, and no more memory than is left; `held`
/// says what of it is in memory at a time, of all batches and the largest.
fn open<R: Read + Seek>(
    supply: &dyn Supply,
    mut from: R,
    held: fn(f64, f64) -> f64,
) -> Result<StreamReader<R>, CliError> {
    let failed = |cause| unreadable(supply, cause);
    let start = begin(&mut from)
        .map_err(failed)?
        .ok_or_else(|| supply.fault(&" is a damaged or truncated Arrow file: its end is missing"))?;
    match claims(&mut from).map_err(failed)? {
        Claims::Bytes { all, largest } => {
            supply.room().take(held(all, largest), || " unpacked".to_owned())?;
        }
        Claims::Impossible(size) => {
            let what = format!(" is a damaged or truncated Arrow file: {size} is no size of a part of it");
            return Err(supply.fault(&what));
        }
    }
    from.seek(SeekFrom::Start(start)).map_err(failed)?;
    StreamReader::try_new(from, None).map_err(|cause| damaged(supply, &cause))
}

/// Goes to where the messages begin; nowhere, where a file does not end as it should.
fn begin(from: &mut (impl Read + Seek)) -> io::Result<Option<u64>> {
    from.rewind()?;
    let first = read_up_to(from, MARK.len() as u64)?;
    if first != MARK {
        from.rewind()?;
        return Ok(Some(0));
    }
    from.seek(SeekFrom::End(-(MAGIC.len() as i64)))?;
    let last = read_up_to(from, MAGIC.len() as u64)?;
    if last != MAGIC {
        return Ok(None);
    }
    from.seek(SeekFrom::Start(MARK.len() as u64))?;
    behind_padding(from).map(Some)
}

/// Batches of a file as pieces of a table.
struct Batches<'a, R> {
    supply: &'a dyn Supply,
    heading: Arc<Heading>,
    /// Where the columns of the heading that are read stand in batches.
    places: Vec<usize>,
    schema: SchemaRef,
    from: R,
    /// Rows that have gone before.
    rows: u64,
}

impl<R: Iterator<Item = Result<RecordBatch, ArrowError>>> Pieces for Batches<'_, R> {
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError> {
        let Self { supply, heading, places, schema, from, rows } = self;
        guarded(*supply, FORMAT, || {
            let Some(batch) = from.find(|batch| batch.as_ref().map_or(true, |batch| batch.num_rows() > 0))
            else {
                return Ok(None);
            };
            let batch = batch.map_err(|cause| damaged(*supply, &cause))?;
            let before = *rows;
            *rows += batch.num_rows() as u64;
            let columns = columns(*supply, places, schema, std::slice::from_ref(&batch))?;
            Ok(Some(Frame::behind(before, supply.name(), columns)?.with_heading(heading.clone())))
        })
    }
}

/// The columns of a schema, and those of them that are wanted.
fn heading(options: &ReadOptions, schema: &Schema) -> Heading {
    Heading::new(schema.fields().iter().map(|field| field.name().clone()).collect(), options)
}

/// The columns at some places of a table that comes in batches.
fn columns(
    supply: &dyn Supply,
    places: &[usize],
    schema: &Schema,
    batches: &[RecordBatch],
) -> Result<Vec<Column>, CliError> {
    check_width(supply, schema.fields().len())?;
    // Columns without values claim rows that no byte stands for.
    let rows = batches.iter().map(RecordBatch::num_rows).fold(0, usize::saturating_add);
    supply.room().take_table(rows, places.len(), 0)?;
    let mut columns = Vec::new();
    for &place in places {
        let field = schema.field(place);
        let arrays: Vec<&ArrayRef> = batches.iter().map(|batch| batch.column(place)).collect();
        let column = column(field.name(), field.data_type(), &arrays).map_err(|cause| {
            supply.fault(&format!(", column {}: {cause}; leave it out with --exclude", field.name()))
        })?;
        columns.push(column);
    }
    Ok(columns)
}

/// A column, as numbers where its type allows it.
fn column(name: &str, kind: &DataType, arrays: &[&ArrayRef]) -> Result<Column, String> {
    if let Some(kind) = cells::kind_of_numbers(kind) {
        let mut numbers = Vec::new();
        arrays.iter().try_for_each(|array| cells::append_numbers(array, &mut numbers))?;
        return Ok(Column::of_numbers(name, kind, numbers));
    }
    let mut words = LevelBuilder::default();
    arrays.iter().try_for_each(|array| cells::append_words(array, &mut words))?;
    Ok(words.into_column(name))
}
