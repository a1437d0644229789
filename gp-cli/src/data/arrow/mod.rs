//! Arrow files and streams.

mod cells;
mod sizes;

use super::column::{Column, LevelBuilder};
use super::counted::read_up_to;
use super::format::{Format, check_width};
use super::frame::Frame;
use super::guard::guarded;
use super::heading::Heading;
use super::input::Input;
use super::options::ReadOptions;
use super::pandas;
use super::pieces::FrameStream;
use super::source::Source;
use super::supply::{Supply, unreadable};
use crate::error::CliError;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use gp_optim::Team;
use sizes::{Claims, SizeFault};
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

/// Arrow IPC, also called Feather.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrowFile;

/// Start and end of files; absent from streams. Batches are located by the footer, because some writers leave gaps.
const MAGIC: &[u8; 6] = b"ARROW1";

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
            let (schema, batches) = open(source, Cursor::new(source.bytes()), |claims| claims.all)?;
            let batches = batches.collect::<Result<Vec<_>, _>>().map_err(|cause| damaged(source, &cause))?;
            let heading = heading(options, &schema);
            let columns = columns(source, &heading, &schema, &batches)?;
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
        let (schema, from) =
            guarded(input, FORMAT, || open(input, BufReader::new(input.file()?), Claims::of_one_batch))?;
        let heading = heading(options, &schema);
        Ok(Box::new(Batches { supply: input, heading: heading.into(), schema, from, rows: 0 }))
    }

    /// `None` for streams, which list no batches.
    fn own_pieces<'a>(
        &self,
        input: &'a Input,
        options: &ReadOptions,
        team: &Team,
    ) -> Result<Option<Box<dyn FrameStream + 'a>>, CliError> {
        guarded(input, FORMAT, || {
            let (mut reader, claims) =
                match opened(input, BufReader::new(input.file()?), Claims::of_one_batch)? {
                    (Opened::File(reader), claims) => (reader, claims),
                    (Opened::Stream(_), _) => return Ok(None),
                };
            let (batches, before) = claims.own_batches(team);
            let (schema, damaged) = (reader.schema(), |cause| damaged(input, &cause));
            let heading = heading(options, &schema).into();
            if !batches.is_empty() {
                reader.set_index(batches.start).map_err(damaged)?;
            }
            let from = Box::new(reader.take(batches.len()));
            let own: Box<dyn FrameStream + 'a> =
                Box::new(Batches { supply: input, heading, schema, from, rows: before });
            Ok(Some(own))
        })
    }
}

const FORMAT: &str = "Arrow";

const DAMAGED: &str = " is a damaged or truncated Arrow file";

fn damaged(supply: &dyn Supply, cause: &dyn std::error::Error) -> CliError {
    supply.fault(&format!("{DAMAGED}: {cause}"))
}

type BatchReader<'a> = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'a>;

enum Opened<R: Read> {
    File(FileReader<R>),
    Stream(StreamReader<R>),
}

fn open<'a, R: Read + Seek + 'a>(
    supply: &dyn Supply,
    from: R,
    held: fn(&Claims) -> f64,
) -> Result<(SchemaRef, BatchReader<'a>), CliError> {
    Ok(match opened(supply, from, held)?.0 {
        Opened::File(reader) => (reader.schema(), Box::new(reader)),
        Opened::Stream(reader) => (reader.schema(), Box::new(reader)),
    })
}

/// Opens a file or stream and checks its sizes; `held` gives the bytes in memory at once.
fn opened<R: Read + Seek>(
    supply: &dyn Supply,
    mut from: R,
    held: fn(&Claims) -> f64,
) -> Result<(Opened<R>, Claims), CliError> {
    let failed = |cause| unreadable(supply, cause);
    let is_file = is_file(&mut from).map_err(failed)?;
    let is_file = is_file.ok_or_else(|| supply.fault(&format!("{DAMAGED}: its end is missing")))?;
    let claims = if is_file { Claims::of_list(&mut from) } else { Claims::of_stream(&mut from) };
    let claims = claims.map_err(|fault| match fault {
        SizeFault::Unreadable(cause) => failed(cause),
        SizeFault::Impossible(size) => supply.fault(&format!("{DAMAGED}: {size} is no size of a part of it")),
        SizeFault::Unread { column, kind } => supply.fault(&format!(
            ", column {column}: values of the type {kind} are not read; write them as Float64 or Int64"
        )),
        SizeFault::NoList => supply.fault(&format!("{DAMAGED}: the list of its parts is not readable")),
    })?;
    supply.room().take(held(&claims), || " unpacked".to_owned())?;
    from.rewind().map_err(failed)?;
    let damaged = |cause| damaged(supply, &cause);
    Ok(if is_file {
        (Opened::File(FileReader::try_new(from, None).map_err(damaged)?), claims)
    } else {
        (Opened::Stream(StreamReader::try_new(from, None).map_err(damaged)?), claims)
    })
}

/// `true` for files, `false` for streams (rewound), `None` for truncated files.
fn is_file(from: &mut (impl Read + Seek)) -> io::Result<Option<bool>> {
    from.rewind()?;
    if read_up_to(from, MAGIC.len() as u64)? != MAGIC {
        from.rewind()?;
        return Ok(Some(false));
    }
    from.seek(SeekFrom::End(-(MAGIC.len() as i64)))?;
    Ok((read_up_to(from, MAGIC.len() as u64)? == MAGIC).then_some(true))
}

struct Batches<'a> {
    supply: &'a dyn Supply,
    heading: Arc<Heading>,
    schema: SchemaRef,
    from: BatchReader<'a>,
    rows: u64,
}

impl FrameStream for Batches<'_> {
    fn next_piece(&mut self) -> Result<Option<Frame>, CliError> {
        let Self { supply, heading, schema, from, rows } = self;
        guarded(*supply, FORMAT, || {
            let Some(batch) = from.find(|batch| batch.as_ref().map_or(true, |batch| batch.num_rows() > 0))
            else {
                return Ok(None);
            };
            let batch = batch.map_err(|cause| damaged(*supply, &cause))?;
            let before = *rows;
            *rows += batch.num_rows() as u64;
            let columns = columns(*supply, heading, schema, std::slice::from_ref(&batch))?;
            Ok(Some(Frame::behind(before, supply.name(), columns)?.with_heading(heading.clone())))
        })
    }
}

fn heading(options: &ReadOptions, schema: &Schema) -> Heading {
    let indices = schema.metadata().get(pandas::KEY).map(|text| pandas::index_columns(text));
    let names = schema.fields().iter().map(|field| field.name().clone()).collect();
    Heading::with_indices(names, &indices.unwrap_or_default(), options)
}

fn columns(
    supply: &dyn Supply,
    heading: &Heading,
    schema: &Schema,
    batches: &[RecordBatch],
) -> Result<Vec<Column>, CliError> {
    check_width(supply, schema.fields().len())?;
    // A table without columns may state any number of rows.
    let rows = batches.iter().map(RecordBatch::num_rows).fold(0, usize::saturating_add);
    let mut room = supply.room();
    room.take_table(rows, heading.places().len(), 0)?;
    let mut columns = Vec::new();
    for &place in heading.places() {
        let field = schema.field(place);
        let arrays: Vec<&ArrayRef> = batches.iter().map(|batch| batch.column(place)).collect();
        let shared = arrays.iter().map(|array| cells::shared_letters(array)).sum();
        room.take(shared, || format!(", column {}", field.name()))?;
        let as_words = heading.holds_words(place);
        let column = column(field.name(), (field.data_type(), as_words), &arrays).map_err(|cause| {
            supply.fault(&format!(", column {}: {cause}; leave it out with --exclude", field.name()))
        })?;
        columns.push(column);
    }
    Ok(columns)
}

/// With `as_words`, long integers stay exact.
fn column(name: &str, (kind, as_words): (&DataType, bool), arrays: &[&ArrayRef]) -> Result<Column, String> {
    let mut words = LevelBuilder::default();
    if as_words && cells::are_long(kind) {
        arrays.iter().for_each(|array| cells::append_digits(array, &mut words));
        return Ok(words.into_column(name));
    }
    if let Some(kind) = cells::kind_of_numbers(kind) {
        let mut numbers = Vec::new();
        arrays.iter().try_for_each(|array| cells::append_numbers(array, &mut numbers))?;
        return Ok(Column::of_numbers(name, kind, numbers));
    }
    arrays.iter().try_for_each(|array| cells::append_words(array, &mut words))?;
    Ok(words.into_column(name))
}
