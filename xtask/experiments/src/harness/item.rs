//! Tables and figures.

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
    /// Requested extent.
    pub extent: Extent,
    /// Registries of kernels, likelihoods and methods.
    pub names: gp_cli::Context,
}

/// Table or figure of a paper.
pub trait Item: Debug + Sync {
    /// Command-line name, such as `003-table-1`.
    fn name(&self) -> &'static str;

    /// One-line title.
    fn title(&self) -> &'static str;

    /// Required data files.
    fn needs(&self) -> Vec<String>;

    /// Markdown: the paper's procedure, own choices, omissions when reduced.
    fn method(&self) -> &'static str;

    /// Durations, full and reduced.
    fn takes(&self) -> [&'static str; 2];

    /// Ordered runs of an extent.
    fn cells(&self, extent: &Extent) -> Vec<Cell>;

    /// Performs a run.
    ///
    /// # Errors
    /// Any failure; becomes a result line.
    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError>;

    /// Protocol version, from 1. Increase it when the procedure changes: older results are rerun, never
    /// averaged with newer ones, and shown (marked) only without them.
    fn protocol(&self) -> u32 {
        1
    }

    /// `true` if reduced runs are fewer, not shorter.
    fn is_whole_run_by_run(&self) -> bool {
        false
    }

    /// Folders and files whose code affects results.
    fn depends_on(&self) -> &'static [&'static str] {
        super::LIBRARIES
    }

    /// `true` for sequential runs, on all processors.
    fn is_alone(&self) -> bool {
        false
    }

    /// `true` if cells may name a [`Guest`](crate::methods::guest::Guest).
    fn takes_guests(&self) -> bool {
        false
    }

    /// Published numbers.
    fn reference(&self) -> Reference {
        Reference::NONE
    }

    /// Report after the description.
    fn show(&self, results: &Results) -> Vec<Block>;
}

impl dyn Item + '_ {
    /// Results from a folder; empty if none.
    ///
    /// # Errors
    /// Unreadable or invalid file.
    pub fn results(&self, folder: &Path) -> Result<Results, ExperimentError> {
        Ok(Results::open(folder, self.name())?.of_protocol(self.protocol()))
    }

    /// `true` after success under this protocol, in `form` or full.
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

/// Sources of all numerical libraries.
pub const LIBRARIES: &[&str] = &[
    "gp-linalg/src",
    "gp-optim/src",
    "gp-kernels/src",
    "gp-likelihoods/src",
    "gp-ep/src",
    "gp-variational/src",
];
