//! Options for reading a table.

use super::column::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// Table of a file, and its format.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct TableChoice {
    /// Format of the table: {formats}; found from the file unless given
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Table of a database ({databases}) with several
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub table: Option<String>,
    /// SELECT statement on a database ({databases})
    #[arg(long, value_name = "SQL")]
    pub query: Option<String>,
}

/// Options for reading a table.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Table of the file; by default the format follows from its first bytes or its name.
    pub choice: TableChoice,
    /// Types of columns; those of the others are found from their cells.
    pub kinds: BTreeMap<String, Kind>,
    /// The columns that are read; all of them where nothing is said. Names that the table does not have do not matter.
    pub columns: Option<BTreeSet<String>>,
    /// Columns that are not read, whatever else is said.
    pub excluded: BTreeSet<String>,
    /// Columns that are read whatever else is said, for another use than as inputs.
    pub also: BTreeSet<String>,
}

impl ReadOptions {
    /// `true` if the column of this name is read.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        let is_wanted = self.columns.as_ref().is_none_or(|columns| columns.contains(name));
        self.also.contains(name) || (is_wanted && !self.excluded.contains(name))
    }

    /// `true` if the column of this name is wanted or has a type given.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        let is_wanted = self.columns.as_ref().is_some_and(|columns| columns.contains(name));
        let is_listed = self.excluded.contains(name) || self.also.contains(name);
        is_wanted || is_listed || self.kinds.contains_key(name)
    }

    /// The type that was asked for.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<Kind> {
        self.kinds.get(name).copied()
    }
}
