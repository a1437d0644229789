//! Table in memory.

use super::column::{Column, Kind};
use super::heading::Heading;
use super::notation::Notation;
use super::options::{ReadOptions, TARGET};
use crate::error::{CliError, ErrorKind};
use crate::shown::shown;
use gp_optim::similar;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

const LISTED: usize = 20;

pub(crate) const FILL_OR_DROP: &str = "; fill it in, or leave out all such rows with --missing drop";
pub(crate) const FILL_DROP_OR_KEEP: &str =
    "; fill it in, leave out all such rows with --missing drop, or keep them with --missing keep";

/// Equal-length columns with distinct names, and row places.
#[derive(Clone, Debug)]
pub struct Frame {
    source: String,
    columns: Vec<Column>,
    by_name: HashMap<String, usize>,
    rows: usize,
    places: Places,
    heading: Option<Arc<Heading>>,
}

#[derive(Clone, Debug)]
enum Places {
    Lines(Vec<u64>),
    Rows(Vec<u64>),
    /// Consecutive numbers from this one.
    From(u64),
    /// First row, name, places per file.
    Files(Vec<(usize, Arc<str>, Places)>),
}

impl Places {
    fn text(&self, row: usize) -> String {
        match self {
            Self::Lines(lines) => format!("line {}", lines[row]),
            Self::Rows(rows) => format!("row {}", rows[row]),
            Self::From(first) => format!("row {}", first + row as u64),
            Self::Files(_) => match self.file(row) {
                Some((path, place, own)) => {
                    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
                    format!("{} of {}", place.text(own), shown(&name))
                }
                None => String::new(),
            },
        }
    }

    /// File, places and own row number.
    fn file(&self, row: usize) -> Option<(&str, &Self, usize)> {
        let Self::Files(files) = self else { return None };
        let next = files.partition_point(|(first, ..)| *first <= row);
        let (first, path, places) = files.get(next.checked_sub(1)?)?;
        Some((path, places, row - first))
    }

    fn of(&self, rows: &[usize]) -> Self {
        match self {
            Self::Lines(lines) => Self::Lines(rows.iter().map(|&row| lines[row]).collect()),
            Self::Rows(known) => Self::Rows(rows.iter().map(|&row| known[row]).collect()),
            Self::From(first) => Self::Rows(rows.iter().map(|&row| first + row as u64).collect()),
            Self::Files(files) => {
                let (mut found, mut start) = (Vec::new(), 0);
                let file = |row: usize| files.partition_point(|(first, ..)| *first <= row);
                for run in rows.chunk_by(|&one, &next| file(one) == file(next)) {
                    let (first, path, places) = &files[file(run[0]) - 1];
                    let own: Vec<usize> = run.iter().map(|row| row - first).collect();
                    found.push((start, path.clone(), places.of(&own)));
                    start += run.len();
                }
                Self::Files(found)
            }
        }
    }
}

impl Frame {
    /// Table of these columns; errors name `source`. `lines` holds the line of each row.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data) for no rows, unequal lengths or repeated names.
    pub fn new(source: &str, columns: Vec<Column>, lines: Option<Vec<u64>>) -> Result<Self, CliError> {
        Self::placed(source, columns, lines.map_or(Places::From(1), Places::Lines))
    }

    /// Table with rows counted from 0.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn in_memory(source: &str, columns: Vec<Column>) -> Result<Self, CliError> {
        Self::placed(source, columns, Places::From(0))
    }

    /// Chunk after `rows` rows.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn behind(rows: u64, source: &str, columns: Vec<Column>) -> Result<Self, CliError> {
        Self::placed(source, columns, Places::From(rows + 1))
    }

    pub(crate) fn no_rows(source: &str) -> CliError {
        CliError::new(ErrorKind::Data, format!("`{source}` has no rows; a table needs one at least"))
    }

    fn placed(source: &str, columns: Vec<Column>, places: Places) -> Result<Self, CliError> {
        let fault = |what: String| Err(CliError::new(ErrorKind::Data, format!("`{source}` {what}")));
        let rows = columns.first().map_or(0, |column| column.values().len());
        if rows == 0 {
            return Err(Self::no_rows(source));
        }
        let mut by_name = HashMap::with_capacity(columns.len());
        for (place, column) in columns.iter().enumerate() {
            let (name, found) = (column.name(), column.values().len());
            if found != rows {
                return fault(format!("has {rows} rows, but {found} in column {name}"));
            }
            if by_name.insert(name.to_owned(), place).is_some() {
                return fault(format!("has two columns called {name}; rename one of them"));
            }
        }
        Ok(Self { source: source.to_owned(), columns, by_name, rows, places, heading: None })
    }

    /// Sets all columns of the file.
    #[must_use]
    pub fn with_heading(self, heading: impl Into<Arc<Heading>>) -> Self {
        Self { heading: Some(heading.into()), ..self }
    }

    pub(super) fn read_as(self, options: &ReadOptions) -> Result<Self, CliError> {
        let Self { source, columns, places, heading, .. } = self;
        let mut out = Vec::with_capacity(columns.len());
        for column in columns {
            let name = column.name().to_owned();
            let Some(kind) = options.declared(&name) else {
                out.push(column);
                continue;
            };
            let is_verbatim = options.verbatim.contains(&name);
            let read = if is_verbatim { column.read_beside_text(kind) } else { column.read_as(kind) };
            out.push(read.map_err(|(row, text)| {
                not_of_kind(&source, &places.text(row), &name, &text, (kind, options.flag(&name)))
            })?);
        }
        Ok(Self { heading, ..Self::placed(&source, out, places)? })
    }

    pub(super) fn within(self, folder: &str) -> Self {
        let places = Places::Files(vec![(0, self.source.into(), self.places)]);
        Self { source: folder.to_owned(), places, ..self }
    }

    pub(super) fn append(&mut self, part: Self) {
        if let (Places::Files(files), Places::Files(more)) = (&mut self.places, part.places) {
            files.extend(more.into_iter().map(|(first, path, places)| (self.rows + first, path, places)));
        }
        self.rows += part.rows;
        self.columns.iter_mut().zip(part.columns).for_each(|(column, more)| column.append(more));
    }

    /// Name in errors.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Number of rows, at least 1.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// In file order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Columns read.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.columns.iter().map(Column::name).collect()
    }

    /// Column with this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.by_name.get(name).map(|&place| &self.columns[place])
    }

    /// All column names of the file, else those read.
    #[must_use]
    pub fn known_names(&self) -> Vec<&str> {
        match &self.heading {
            Some(heading) => heading.names().iter().map(String::as_str).collect(),
            None => self.names(),
        }
    }

    /// Dropped row-number columns, one sentence each.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        self.heading.as_deref().map_or(&[], Heading::left_out)
    }

    /// Name given to an unnamed column.
    #[must_use]
    pub fn unnamed(&self) -> Option<&str> {
        self.heading.as_deref().and_then(Heading::unnamed)
    }

    /// Columns in the order of `names`.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data), listing missing and existing names.
    pub fn require(&self, names: &[&str]) -> Result<Vec<&Column>, CliError> {
        let missing: Vec<&str> = names.iter().copied().filter(|name| self.column(name).is_none()).collect();
        if missing.is_empty() {
            return Ok(names.iter().filter_map(|name| self.column(name)).collect());
        }
        Err(self.lacks_besides(names, &missing, ""))
    }

    pub(crate) fn lacks(&self, missing: &[&str], why: &str) -> CliError {
        self.lacks_besides(&[], missing, why)
    }

    /// [`lacks`](Self::lacks), never suggesting `needed` columns.
    fn lacks_besides(&self, needed: &[&str], missing: &[&str], why: &str) -> CliError {
        let known = self.known_names();
        let columns = if missing.len() > 1 { "columns" } else { "column" };
        let mut message =
            format!("`{}` has no {columns} {}{why}; it has {}", self.source, list(missing), list(&known));
        if known.len() == 1 && !needed.contains(&known[0]) && matches!(self.places, Places::Lines(_)) {
            message.push_str(" alone; is the separator other than , tab ; or |?");
        }
        let others: Vec<&str> = known.iter().copied().filter(|name| !needed.contains(name)).collect();
        let near: Vec<String> = missing
            .iter()
            .filter_map(|name| Some(format!("{} for {}", quoted(near(name, &others)?), quoted(name))))
            .collect();
        if !near.is_empty() {
            message.push_str(&format!("; did you mean {}?", near.join(", ")));
        }
        if let Some(name) = missing.iter().find(|name| has_open_quote(name)) {
            message.push_str(&format!(
                "; a name in double quotes ends with one: there is none behind {}",
                name.trim_start_matches('"')
            ));
        }
        CliError::new(ErrorKind::Data, message)
    }

    /// Position in the file, such as `line 3`.
    #[must_use]
    pub fn place(&self, row: usize) -> String {
        self.places.text(row)
    }

    /// Error about one cell.
    #[must_use]
    pub fn fault(&self, row: usize, column: &str, what: &str) -> CliError {
        let (source, place) = match self.places.file(row) {
            Some((path, place, own)) => (path, place.text(own)),
            None => (self.source.as_str(), self.place(row)),
        };
        let column = shown(column);
        let message = format!("`{source}`, {place}, column {column}: {what}");
        CliError::new(ErrorKind::Data, message)
    }

    /// Refuses missing values, with `advice`.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data), naming the first.
    pub fn refuse_missing(&self, columns: &[&Column], advice: &str) -> Result<(), CliError> {
        let first = columns.iter().find_map(|column| {
            (0..self.rows).find(|&row| column.is_missing(row)).map(|row| (row, column.name()))
        });
        match first {
            None => Ok(()),
            Some((row, name)) => Err(self.fault(row, name, &format!("the value is missing{advice}"))),
        }
    }

    /// Rows complete in these columns.
    #[must_use]
    pub fn complete_rows(&self, columns: &[&Column]) -> Vec<usize> {
        (0..self.rows).filter(|&row| columns.iter().all(|column| !column.is_missing(row))).collect()
    }

    /// Removes a column.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data) if none is left.
    pub fn without(self, name: &str) -> Result<Self, CliError> {
        let Self { source, mut columns, places, heading, .. } = self;
        columns.retain(|column| column.name() != name);
        Ok(Self { heading, ..Self::placed(&source, columns, places)? })
    }

    /// Copy of these rows.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data) if empty.
    pub fn rows(&self, rows: &[usize]) -> Result<Self, CliError> {
        let columns = self.columns.iter().map(|column| column.rows(rows)).collect();
        let heading = self.heading.clone();
        Ok(Self { heading, ..Self::placed(&self.source, columns, self.places.of(rows))? })
    }
}

/// Error about a cell of another type, naming the column's flag.
pub(super) fn not_of_kind(
    source: &str,
    place: &str,
    name: &str,
    text: &str,
    (kind, flag): (Kind, Option<&str>),
) -> CliError {
    let wanted = match kind {
        Kind::Number => "a finite number",
        Kind::Boolean => "true or false",
        Kind::Date => "a date such as 2024-02-29",
        Kind::Category => "a word",
    };
    let meant = Notation::of(text).filter(|_| kind != Kind::Boolean);
    let like = meant.map_or_else(String::new, |notation| {
        format!(", but looks like {}: {}", notation.one(), notation.advice())
    });
    let advice = match flag {
        Some(TARGET) => format!("correct it: {TARGET} is a number, and may be empty in rows to predict"),
        Some(flag) => format!("correct it: {flag} needs numbers"),
        None => format!("correct it, or read an input as words with `gp fit --type {name}=category`"),
    };
    let (name, text) = (shown(name), shown(text));
    let message = format!("`{source}`, {place}, column {name}: `{text}` is not {wanted}{like}; {advice}");
    CliError::new(ErrorKind::Data, message)
}

/// Quotes names with commas or outer blanks.
pub(crate) fn quoted(name: &str) -> String {
    if name.contains(',') || name.starts_with('"') || name.trim() != name {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// Known name that differs in blanks only, or is similar.
fn near<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let but_for_blanks = known.iter().find(|other| other.trim() == name.trim());
    but_for_blanks.copied().or_else(|| similar(name, known.iter().copied()))
}

fn has_open_quote(name: &str) -> bool {
    name.len() > 1 && name.starts_with('"') && !name.ends_with('"')
}

pub(crate) fn list(names: &[&str]) -> String {
    let shown = names.iter().take(LISTED).map(|name| quoted(&shown(name)));
    let listed = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}
