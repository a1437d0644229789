//! Row groups, read by column.

use super::cells::{AT_ONCE, Meaning, ParquetCells, skip};
use super::{damaged, pages};
use crate::data::column::Column;
use crate::data::heading::Heading;
use crate::data::supply::Supply;
use crate::data::table_room::TableMemory;
use crate::error::CliError;
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::SchemaDescriptor;
use std::sync::Arc;

/// Rows of the requested columns, in order.
pub(super) struct Rows<'a, R: ChunkReader> {
    supply: &'a dyn Supply,
    from: Arc<R>,
    about: ParquetMetaData,
    columns: Vec<ParquetColumn>,
    begun: usize,
    current: Group,
}

struct ParquetColumn {
    name: String,
    leaf: usize,
    meaning: Meaning,
}

#[derive(Default)]
struct Group {
    columns: Vec<ColumnReader>,
    rows: usize,
}

impl<'a, R: ChunkReader + 'static> Rows<'a, R> {
    pub(super) fn new(
        supply: &'a dyn Supply,
        (from, about): (R, ParquetMetaData),
        heading: &Heading,
    ) -> Result<Self, CliError> {
        let schema = about.file_metadata().schema_descr_ptr();
        let wanted = |&place: &usize| {
            let name = heading.names()[place].clone();
            let found = meaning_at(&schema, place, heading.holds_words(place));
            let (leaf, meaning) = found.map_err(|cause| {
                supply.fault(&format!(", column {name}: {cause}; leave it out with --exclude"))
            })?;
            Ok(ParquetColumn { name, leaf, meaning })
        };
        let columns = heading.places().iter().map(wanted).collect::<Result<_, CliError>>()?;
        Ok(Self { supply, from: Arc::new(from), about, columns, begun: 0, current: Group::default() })
    }

    /// Total rows; None if impossible.
    pub(super) fn count(&self) -> Option<usize> {
        let rows = |group: &RowGroupMetaData| usize::try_from(group.num_rows()).ok();
        self.about.row_groups().iter().try_fold(0_usize, |sum, group| sum.checked_add(rows(group)?))
    }

    /// Skips whole groups, then single values.
    pub(super) fn skip(&mut self, mut count: usize) -> Result<(), CliError> {
        while let Some(group) = self.about.row_groups().get(self.begun) {
            let rows = usize::try_from(group.num_rows()).map_err(|cause| damaged(self.supply, &cause))?;
            if count < rows {
                break;
            }
            count -= rows;
            self.begun += 1;
        }
        if count == 0 || !self.has_rows()? {
            return Ok(());
        }
        for (wanted, from) in self.columns.iter().zip(&mut self.current.columns) {
            skip(from, count).map_err(|cause| unreadable(self.supply, wanted, &cause))?;
        }
        self.current.rows -= count;
        Ok(())
    }

    pub(super) fn next(&mut self, most: usize) -> Result<Option<Vec<Column>>, CliError> {
        let mut cells: Vec<ParquetCells> =
            self.columns.iter().map(|column| ParquetCells::new(column.meaning)).collect();
        let (mut read, mut room) = (0, self.supply.room());
        while read < most && self.has_rows()? {
            let count = self.current.rows.min(most - read);
            room.take_table(count, self.columns.len(), 0)?;
            self.append(&mut cells, &mut room, count)?;
            read += count;
        }
        let columns =
            cells.into_iter().zip(&self.columns).map(|(cells, wanted)| cells.into_column(&wanted.name));
        Ok((read > 0).then(|| columns.collect()))
    }

    /// Appends `count` rows; counts the memory of words.
    fn append(
        &mut self,
        cells: &mut [ParquetCells],
        room: &mut TableMemory,
        count: usize,
    ) -> Result<(), CliError> {
        let Self { supply, columns, current, .. } = self;
        for first in (0..count).step_by(AT_ONCE) {
            let some = (count - first).min(AT_ONCE);
            for ((cells, wanted), from) in cells.iter_mut().zip(columns.iter()).zip(&mut current.columns) {
                let before = cells.bytes_of_words();
                let done = cells.append(from, wanted.meaning, some);
                done.map_err(|cause| unreadable(*supply, wanted, &cause))?;
                let more = (cells.bytes_of_words() - before) as f64;
                room.take(more, || format!(", column {},", wanted.name))?;
            }
        }
        current.rows -= count;
        Ok(())
    }

    /// Opens the next group; `false` at the end.
    fn has_rows(&mut self) -> Result<bool, CliError> {
        while self.current.rows == 0 {
            let Some(group) = self.about.row_groups().get(self.begun) else { return Ok(false) };
            self.current = self.begin(group)?;
            self.begun += 1;
        }
        Ok(true)
    }

    fn begin(&self, group: &RowGroupMetaData) -> Result<Group, CliError> {
        let (supply, mut room) = (self.supply, self.supply.room());
        let rows = usize::try_from(group.num_rows()).map_err(|cause| damaged(supply, &cause))?;
        let open = |wanted: &ParquetColumn| {
            let chunk = group.columns().get(wanted.leaf).ok_or_else(|| {
                supply.fault(&format!(" is a damaged Parquet file: a group without column {}", wanted.name))
            })?;
            let fault = |cause: ParquetError| unreadable(supply, wanted, &cause);
            let bytes = pages::claim(&*self.from, chunk, rows, AT_ONCE).map_err(fault)?;
            room.take(bytes, || format!(", column {} unpacked,", wanted.name))?;
            let pages = SerializedPageReader::new(self.from.clone(), chunk, rows, None).map_err(fault)?;
            Ok(get_column_reader(chunk.column_descr_ptr(), Box::new(pages)))
        };
        let columns = self.columns.iter().map(open).collect::<Result<_, CliError>>()?;
        Ok(Group { columns, rows })
    }
}

fn unreadable(supply: &dyn Supply, wanted: &ParquetColumn, cause: &ParquetError) -> CliError {
    supply.fault(&format!(", column {}: it is damaged or truncated: {cause}", wanted.name))
}

/// Position and meaning; `as_words` keeps digits.
fn meaning_at(schema: &SchemaDescriptor, place: usize, as_words: bool) -> Result<(usize, Meaning), String> {
    let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == place);
    let plain = leaf.filter(|&leaf| {
        let column = schema.column(leaf);
        schema.root_schema().get_fields()[place].is_primitive() && column.max_rep_level() == 0
    });
    let leaf = plain.ok_or("it holds lists or tables, which are not read")?;
    let (column, meaning) = (schema.column(leaf), Meaning::of(&schema.column(leaf))?);
    Ok((leaf, if as_words { meaning.as_words(column.physical_type()) } else { meaning }))
}
