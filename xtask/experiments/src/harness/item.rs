//! The trait of a table or figure.

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

    /// Files of the data folder that it reads, by their names there.
    fn needs(&self) -> Vec<String>;

    /// Description in Markdown: the paper's procedure, choices where it is silent, and omissions of the
    /// reduced form.
    fn method(&self) -> &'static str;

    /// Duration in words: of the whole, and of the reduced form.
    fn takes(&self) -> [&'static str; 2];

    /// The runs, in the order in which they are done.
    fn cells(&self, extent: &Extent) -> Vec<Cell>;

    /// Does one of them.
    ///
    /// # Errors
    /// Whatever keeps it from an outcome; it becomes a row of the results.
    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError>;

    /// The version of how it is done, from 1 on. Another number says that results of before are not to be mixed with those of
    /// now: they are run again, and stand in the report only where there is nothing else, marked.
    fn protocol(&self) -> u32 {
        1
    }

    /// `true` if each run of the reduced form is as in the whole item: fewer of them, but none shorter.
    fn is_whole_run_by_run(&self) -> bool {
        false
    }

    /// The folders and files of the workspace whose code its results depend on.
    fn depends_on(&self) -> &'static [&'static str] {
        super::LIBRARIES
    }

    /// `true` if runs are sequential because each takes all processors.
    fn is_alone(&self) -> bool {
        false
    }

    /// `true` if other methods can take part, as [`Guest`](crate::methods::guest::Guest)s named in their
    /// cells.
    fn takes_guests(&self) -> bool {
        false
    }

    /// The paper's numbers.
    fn reference(&self) -> Reference {
        Reference::NONE
    }

    /// Contents of the report, below the description.
    fn show(&self, results: &Results) -> Vec<Block>;
}

impl dyn Item + '_ {
    /// The item's results in a folder; empty if it was never run.
    ///
    /// # Errors
    /// A file that cannot be read or is of another kind.
    pub fn results(&self, folder: &Path) -> Result<Results, ExperimentError> {
        Ok(Results::open(folder, self.name())?.of_protocol(self.protocol()))
    }

    /// `true` if a run was done as now, in this form or as part of the whole, without failure.
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

/// The code of all libraries that compute.
pub const LIBRARIES: &[&str] = &[
    "gp-linalg/src",
    "gp-optim/src",
    "gp-kernels/src",
    "gp-likelihoods/src",
    "gp-ep/src",
    "gp-variational/src",
];
