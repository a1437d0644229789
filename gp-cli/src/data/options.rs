//! Options for reading a table.

use super::column::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// Target in messages; cells to predict may be empty.
pub(crate) const TARGET: &str = "the target of the model";

/// Table of a file, and its format.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct TableChoice {
    /// Format of the table: {formats} (default: recognised from the file)
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Table to read from a database ({databases}) that has several
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub table: Option<String>,
    /// SELECT statement that selects the rows to read from a database ({databases})
    #[arg(long, value_name = "SQL")]
    pub query: Option<String>,
}

/// Columns, types and table to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Table and format; detected by default.
    pub choice: TableChoice,
    /// Declared types; others are detected.
    pub kinds: BTreeMap<String, Kind>,
    /// Columns that keep their text, so that `007` is not 7; a declared type adds values.
    pub verbatim: BTreeSet<String>,
    /// Role flags by column.
    pub uses: BTreeMap<String, &'static str>,
    /// Columns read; unknown names are ignored.
    pub columns: Option<BTreeSet<String>>,
    /// Columns never read.
    pub excluded: BTreeSet<String>,
    /// Role columns, always read.
    pub also: BTreeSet<String>,
}

impl ReadOptions {
    /// `true` if read.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        let is_wanted = self.columns.as_ref().is_none_or(|columns| columns.contains(name));
        self.also.contains(name) || (is_wanted && !self.excluded.contains(name))
    }

    /// `true` if requested, typed, excluded or with role.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        let is_wanted = self.columns.as_ref().is_some_and(|columns| columns.contains(name));
        let is_listed = self.excluded.contains(name) || self.also.contains(name);
        is_wanted || is_listed || self.kinds.contains_key(name) || self.uses.contains_key(name)
    }

    /// Flag that gives a role.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<&'static str> {
        self.uses.get(name).copied()
    }

    /// Declared type.
    #[must_use]
    pub fn declared(&self, name: &str) -> Option<Kind> {
        self.kinds.get(name).copied()
    }

    /// Type of cells, if known before reading.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<Kind> {
        if self.verbatim.contains(name) { Some(Kind::Category) } else { self.declared(name) }
    }
}
