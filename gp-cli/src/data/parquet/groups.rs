//! Rows of a file of Parquet, which stand in groups, column by column.

use super::cells::{Cells, Meaning};
use super::damaged;
use crate::data::column::Column;
use crate::data::heading::Heading;
use crate::data::supply::Supply;
use crate::error::CliError;
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::schema::types::SchemaDescriptor;

/// Rows of a file from the first to the last, those columns of it that are wanted.
pub(super) struct Rows<'a, R: ChunkReader> {
    supply: &'a dyn Supply,
    from: SerializedFileReader<R>,
    columns: Vec<Wanted>,
    /// Groups that have been begun.
    begun: usize,
    current: Group,
}

/// A column that is read: its name, where its values stand, and their meaning.
struct Wanted {
    name: String,
    leaf: usize,
    meaning: Meaning,
}

/// Rest of the group that is being read.
#[derive(Default)]
struct Group {
    columns: Vec<ColumnReader>,
    rows: usize,
}

impl<'a, R: ChunkReader + 'static> Rows<'a, R> {
    /// All rows of a file.
    ///
    /// # Errors
    /// Of kind [`Data`](crate::ErrorKind::Data) for a column that is wanted and of a type that is not read.
    pub(super) fn new(
        supply: &'a dyn Supply,
        from: SerializedFileReader<R>,
        heading: &Heading,
    ) -> Result<Self, CliError> {
        let schema = from.metadata().file_metadata().schema_descr_ptr();
        let wanted = |&place: &usize| {
            let name = heading.names()[place].clone();
            let found = meaning_at(&schema, place);
            let (leaf, meaning) = found.map_err(|cause| {
                supply.fault(&format!(", column {name}: {cause}; leave it out with --exclude"))
            })?;
            Ok(Wanted { name, leaf, meaning })
        };
        let columns = heading.places().iter().map(wanted).collect::<Result<_, CliError>>()?;
        Ok(Self { supply, from, columns, begun: 0, current: Group::default() })
    }

    /// The next rows, as many as asked for unless there are fewer; no columns behind the last.
    ///
    /// # Errors
    /// Of kind [`Data`](crate::ErrorKind::Data) for a damaged file.
    pub(super) fn next(&mut self, most: usize) -> Result<Option<Vec<Column>>, CliError> {
        let mut cells: Vec<Cells> = self.columns.iter().map(|column| Cells::new(column.meaning)).collect();
        let (mut read, mut room) = (0, self.supply.room());
        while read < most && self.has_rows().map_err(|cause| damaged(self.supply, &cause))? {
            let count = self.current.rows.min(most - read);
            room.take_table(count, self.columns.len(), 0)?;
            for ((cells, wanted), from) in cells.iter_mut().zip(&self.columns).zip(&mut self.current.columns)
            {
                cells.append(from, wanted.meaning, count).map_err(|cause| {
                    self.supply
                        .fault(&format!(", column {}: it is damaged or truncated: {cause}", wanted.name))
                })?;
            }
            self.current.rows -= count;
            read += count;
        }
        let columns =
            cells.into_iter().zip(&self.columns).map(|(cells, wanted)| cells.into_column(&wanted.name));
        Ok((read > 0).then(|| columns.collect()))
    }

    /// Goes to the next group that has rows, where nothing is left of this one.
    fn has_rows(&mut self) -> Result<bool, ParquetError> {
        while self.current.rows == 0 {
            if self.begun == self.from.num_row_groups() {
                return Ok(false);
            }
            let group = self.from.get_row_group(self.begun)?;
            let rows = usize::try_from(group.metadata().num_rows())?;
            let columns = self.columns.iter().map(|column| group.get_column_reader(column.leaf));
            self.current = Group { columns: columns.collect::<Result<_, _>>()?, rows };
            self.begun += 1;
        }
        Ok(true)
    }
}

/// Place and meaning of the values of a column.
fn meaning_at(schema: &SchemaDescriptor, place: usize) -> Result<(usize, Meaning), String> {
    let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == place);
    let plain = leaf.filter(|&leaf| {
        let column = schema.column(leaf);
        schema.root_schema().get_fields()[place].is_primitive() && column.max_rep_level() == 0
    });
    let leaf = plain.ok_or("it holds lists or tables, which are not read")?;
    Ok((leaf, Meaning::of(&schema.column(leaf))?))
}
