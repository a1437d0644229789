//! The trait of a table or figure.

use super::{Cell, Outcome};
use crate::data::Store;
use crate::error::ExperimentError;
use crate::harness::Results;
use crate::report::{Block, Reference};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// How much of an item is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// As the paper has it.
    Full,
    /// Fewer splits and fewer settings, as the item says; the report marks it.
    #[default]
    Reduced,
    /// One split of small synthetic data: whether it runs, not what it finds.
    Quick,
}

/// What is asked for: a form, and perhaps another number of splits than that has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// How much.
    pub form: Form,
    /// How many splits, where that was said.
    pub splits: Option<usize>,
}

impl Extent {
    /// One of three by the form.
    pub fn choose<T>(&self, full: T, reduced: T, quick: T) -> T {
        match self.form {
            Form::Full => full,
            Form::Reduced => reduced,
            Form::Quick => quick,
        }
    }

    /// How many splits, where there are `all`, and so many in the reduced form.
    #[must_use]
    pub fn splits(&self, all: usize, reduced: usize) -> usize {
        self.splits.unwrap_or_else(|| self.choose(all, reduced, 1)).min(all)
    }
}

/// What a run has at hand.
#[derive(Clone, Debug)]
pub struct Context {
    /// Data sets.
    pub store: Store,
    /// How much is asked for: quick runs take few steps.
    pub extent: Extent,
    /// Kernels, likelihoods and methods by name.
    pub names: gp_cli::Context,
}

/// A table or figure of a paper.
pub trait Item: Debug + Sync {
    /// What it is called on the command line, such as `003-table-1`.
    fn name(&self) -> &'static str;

    /// What it shows, in a line.
    fn title(&self) -> &'static str;

    /// Files of the data folder that it reads, by their names there.
    fn needs(&self) -> Vec<String>;

    /// How the paper did it, what was chosen where it is silent, and what the reduced form leaves out: Markdown.
    fn method(&self) -> &'static str;

    /// How long it takes, in words: the whole, and the reduced form.
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

    /// Whether each run of the reduced form is as the whole item has it: fewer of them, but none shorter.
    fn is_whole_run_by_run(&self) -> bool {
        false
    }

    /// The folders and files of the workspace whose code its results depend on.
    fn depends_on(&self) -> &'static [&'static str] {
        super::LIBRARIES
    }

    /// Whether runs follow each other, because each of them takes all processors.
    fn is_alone(&self) -> bool {
        false
    }

    /// Whether it can be done by a method that it does not know, a [`Guest`](crate::methods::guest::Guest): a cell then
    /// has the name of the guest in the place of a method's.
    fn takes_guests(&self) -> bool {
        false
    }

    /// The paper's numbers.
    fn reference(&self) -> Reference {
        Reference::NONE
    }

    /// What the report shows, below the description.
    fn show(&self, results: &Results) -> Vec<Block>;
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
