//! Trait of a table or figure.

use super::{Cell, Extent, Form, Outcome, Record, Results};
use crate::data::Store;
use crate::error::ExperimentError;
use crate::report::{Block, Reference};
use std::fmt::Debug;
use std::path::Path;

/// Environment of a run.
#[derive(Clone, Debug)]
pub struct Context {
    /// Data sets.
    pub store: Store,
    /// Requested extent: quick runs take few steps.
    pub extent: Extent,
    /// Kernels, likelihoods and methods by name.
    pub names: gp_cli::Context,
}

/// A table or figure of a paper.
pub trait Item: Debug + Sync {
    /// Command-line name, such as `003-table-1`.
    fn name(&self) -> &'static str;

    /// Title, in one line.
    fn title(&self) -> &'static str;

    /// Data files it reads, by name in the data folder.
    fn needs(&self) -> Vec<String>;

    /// Description in Markdown: the paper's procedure, choices where it is silent, and omissions of the
    /// reduced form.
    fn method(&self) -> &'static str;

    /// Duration as text: of the full and of the reduced form.
    fn takes(&self) -> [&'static str; 2];

    /// Runs, in order.
    fn cells(&self, extent: &Extent) -> Vec<Cell>;

    /// Does one run.
    ///
    /// # Errors
    /// Any failure; it becomes a row of the results.
    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError>;

    /// Protocol version, from 1. After a change, earlier results are run again and not mixed with new ones; the report
    /// shows them, marked, only without newer ones.
    fn protocol(&self) -> u32 {
        1
    }

    /// `true` if each run of the reduced form is as in the full item: fewer runs, but not shorter ones.
    fn is_whole_run_by_run(&self) -> bool {
        false
    }

    /// Folders and files of the workspace whose code affects the results.
    fn depends_on(&self) -> &'static [&'static str] {
        super::LIBRARIES
    }

    /// `true` if runs are sequential because each uses all processors.
    fn is_alone(&self) -> bool {
        false
    }

    /// `true` if [`Guest`](crate::methods::guest::Guest) methods, named in their cells, are supported.
    fn takes_guests(&self) -> bool {
        false
    }

    /// The paper's numbers.
    fn reference(&self) -> Reference {
        Reference::NONE
    }

    /// Contents of the report, after the description.
    fn show(&self, results: &Results) -> Vec<Block>;
}

impl dyn Item + '_ {
    /// Results of the item in a folder; empty if never run.
    ///
    /// # Errors
    /// An unreadable or invalid file.
    pub fn results(&self, folder: &Path) -> Result<Results, ExperimentError> {
        Ok(Results::open(folder, self.name())?.of_protocol(self.protocol()))
    }

    /// `true` if a run succeeded under the current protocol, in this form or as part of the full one.
    #[must_use]
    pub fn has_run(&self, cell: &Cell, form: Form, results: &Results) -> bool {
        let is_enough = |record: &Record| {
            let found = record.form.unwrap_or(Form::Reduced);
            let is_long_enough = found == Form::Full || found == form || self.is_whole_run_by_run();
            record.protocol == self.protocol() && is_long_enough
        };
        results.has(cell) && results.record(cell).is_some_and(is_enough)
    }
}

/// Code of all computing libraries.
pub const LIBRARIES: &[&str] = &[
    "gp-linalg/src",
    "gp-optim/src",
    "gp-kernels/src",
    "gp-likelihoods/src",
    "gp-ep/src",
    "gp-variational/src",
];
