//! The subcommands.

mod list;
mod report;
mod run;

use gp_experiments::ExperimentError;
use std::io::Write;
use std::path::PathBuf;

/// What is to be done.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Print the items, what they need and how long they take
    List(list::Options),
    /// Run items; runs that are there already are not repeated
    Run(run::Options),
    /// Write the page of all results
    Report(report::Options),
}

impl Command {
    pub(crate) fn run(&self, out: &mut dyn Write) -> Result<(), ExperimentError> {
        match self {
            Self::List(options) => list::run(options, out),
            Self::Run(options) => run::run(options, out),
            Self::Report(options) => report::run(options, out),
        }
    }
}

/// Where data sets are looked for.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct DataFolder {
    /// Folder of data sets; `GP_DATA` otherwise, or `../shared/data`
    #[arg(long = "data", value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl DataFolder {
    pub(crate) fn path(&self) -> PathBuf {
        let named = || std::env::var_os("GP_DATA").map(PathBuf::from);
        self.folder.clone().or_else(named).unwrap_or_else(|| PathBuf::from("../shared/data"))
    }
}
