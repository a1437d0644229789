//! Options for reading a table.

use super::column::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// Role of a model's target, in messages. Its cells may be empty in tables to predict.
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
    /// Table within the file, and format; the default follows from first bytes or name.
    pub choice: TableChoice,
    /// Declared types; others follow from the cells.
    pub kinds: BTreeMap<String, Kind>,
    /// Identifiers, groups and blocks, whose text is kept: `007` is not 7. With another declared type, they
    /// have its values too.
    pub verbatim: BTreeSet<String>,
    /// Role flags by column.
    pub uses: BTreeMap<String, &'static str>,
    /// Columns to read; unknown names are ignored.
    pub columns: Option<BTreeSet<String>>,
    /// Columns never read.
    pub excluded: BTreeSet<String>,
    /// Role columns, always read.
    pub also: BTreeSet<String>,
}

impl ReadOptions {
    /// `true` if this column is read.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        let is_wanted = self.columns.as_ref().is_none_or(|columns| columns.contains(name));
        self.also.contains(name) || (is_wanted && !self.excluded.contains(name))
    }

    /// `true` for a column that is requested, or has a declared type or a role.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        let is_wanted = self.columns.as_ref().is_some_and(|columns| columns.contains(name));
        let is_listed = self.excluded.contains(name) || self.also.contains(name);
        is_wanted || is_listed || self.kinds.contains_key(name) || self.uses.contains_key(name)
    }

    /// Flag that gives a column a role.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<&'static str> {
        self.uses.get(name).copied()
    }

    /// Declared type of a column.
    #[must_use]
    pub fn declared(&self, name: &str) -> Option<Kind> {
        self.kinds.get(name).copied()
    }

    /// Type of a column's cells, if known before reading.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<Kind> {
        if self.verbatim.contains(name) { Some(Kind::Category) } else { self.declared(name) }
    }
}
