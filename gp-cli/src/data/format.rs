//! The formats there are, and which of them a file has.

use super::column::Kind;
use super::frame::Frame;
use super::pieces::{Pieces, Typed};
use super::source::Source;
use super::supply::{Input, Supply};
use super::{arrow, csv, idx, libsvm, npy, npz, parquet};
use crate::error::{CliError, ErrorKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;

/// Columns that a table may have at most: a model of more inputs has no use for them, and takes their square in memory.
pub const MAX_COLUMNS: usize = 100_000;

/// What is wanted of a table.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The name of the format; by the file's first bytes or the end of its name where nothing is said.
    pub format: Option<String>,
    /// Types of columns; those of the others are found from their cells.
    pub kinds: BTreeMap<String, Kind>,
    /// The columns that are read; all of them where nothing is said. Names that the table does not have do not matter.
    pub columns: Option<BTreeSet<String>>,
}

impl ReadOptions {
    /// Whether the column of this name is read.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        self.columns.as_ref().is_none_or(|columns| columns.contains(name))
    }

    /// The type that was asked for.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<Kind> {
        self.kinds.get(name).copied()
    }
}

/// A format of tables.
pub trait Format: Debug + Send + Sync {
    /// The name it is asked for by.
    fn name(&self) -> &'static str;

    /// One line for lists of what there is.
    fn summary(&self) -> &'static str;

    /// The ends of names of its files, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// Whether a file begins as none of another format does.
    fn recognises(&self, bytes: &[u8]) -> bool;

    /// The table in a file.
    ///
    /// # Errors
    /// Of kind [`Data`](ErrorKind::Data) with the place.
    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError>;

    /// Whether tables can be read some rows at a time.
    fn comes_in_pieces(&self) -> bool {
        false
    }

    /// The table in a file, some rows at a time.
    ///
    /// # Errors
    /// As [`read`](Self::read); of kind [`Usage`](ErrorKind::Usage) for a format that is read at once alone.
    fn pieces<'a>(&self, input: &'a Input, _options: &ReadOptions) -> Result<Box<dyn Pieces + 'a>, CliError> {
        Err(self.not_in_pieces(input.name()))
    }

    /// The error about a table of this format that is to be read in pieces.
    fn not_in_pieces(&self, table: &str) -> CliError {
        let format = self.name();
        let message = format!(
            "`{table}` needs to be in memory, because tables in {format} are not read in pieces; convert it to CSV, Parquet, Arrow or LibSVM, or say --stream never"
        );
        CliError::new(ErrorKind::Usage, message)
    }

    /// Bytes of memory, about, that the table takes with its points.
    fn memory(&self, input: &Input) -> f64 {
        3.0 * input.size()
    }
}

/// A list of formats, to which programs add their own.
#[derive(Clone, Debug)]
pub struct Formats {
    known: Vec<Arc<dyn Format>>,
}

impl Formats {
    /// The formats of this crate.
    #[must_use]
    pub fn built_in() -> Self {
        Self {
            known: vec![
                Arc::new(csv::Csv),
                Arc::new(parquet::Parquet),
                Arc::new(arrow::ArrowFile),
                Arc::new(npy::Npy),
                Arc::new(npz::Npz),
                Arc::new(idx::Idx),
                Arc::new(libsvm::LibSvm),
            ],
        }
    }

    /// Adds a format, or puts it in the place of one of the same name.
    #[must_use]
    pub fn with(mut self, format: Arc<dyn Format>) -> Self {
        self.known.retain(|known| known.name() != format.name());
        self.known.push(format);
        self
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Format> {
        self.known.iter().map(AsRef::as_ref)
    }

    /// The table in a file: in the format asked for, else in the one whose mark the file begins with, else in the one
    /// that the end of its name tells, else as CSV.
    ///
    /// # Errors
    /// Of kind [`Usage`](ErrorKind::Usage) for a format there is not; otherwise of kind [`Data`](ErrorKind::Data).
    pub fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let format = self.choose((source.bytes(), &source.extension()), options)?;
        format.read(source, options)?.read_as(options)
    }

    /// The same table, some rows at a time.
    ///
    /// # Errors
    /// As [`read`](Self::read) and [`Format::pieces`].
    pub fn pieces<'a>(
        &self,
        input: &'a Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn Pieces + 'a>, CliError> {
        let from = self.of(input, options)?.pieces(input, options)?;
        Ok(Box::new(Typed { from, options: options.clone() }))
    }

    /// The format of a file.
    ///
    /// # Errors
    /// Of kind [`Usage`](ErrorKind::Usage) for a format there is not.
    pub fn of(&self, input: &Input, options: &ReadOptions) -> Result<&dyn Format, CliError> {
        self.choose((input.head(), &input.extension()), options)
    }

    /// By what was asked for, the first bytes or the end of the name.
    fn choose(
        &self,
        (head, extension): (&[u8], &str),
        options: &ReadOptions,
    ) -> Result<&dyn Format, CliError> {
        if let Some(name) = &options.format {
            let names: Vec<&str> = self.iter().map(Format::name).collect();
            let message = || format!("there is no format `{name}`; there are {}", names.join(", "));
            return self
                .iter()
                .find(|format| format.name() == name)
                .ok_or_else(|| CliError::new(ErrorKind::Usage, message()));
        }
        let by_mark = self.iter().find(|format| format.recognises(head));
        let by_name = || self.iter().find(|format| format.extensions().contains(&extension));
        by_mark.or_else(by_name).or_else(|| self.iter().next()).ok_or_else(|| {
            CliError::new(ErrorKind::Usage, "there are no formats to read tables in".to_owned())
        })
    }
}

/// Refuses tables that are too wide to be meant.
pub(super) fn check_width(supply: &dyn Supply, columns: usize) -> Result<(), CliError> {
    if columns <= MAX_COLUMNS {
        return Ok(());
    }
    let what = format!(
        " has {columns} columns, and at most {MAX_COLUMNS} are read; is it the table turned on its side?"
    );
    Err(supply.fault(&what))
}
