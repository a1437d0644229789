//! The subcommands.

mod data;
mod list;
mod report;
mod run;

use crate::ExperimentError;
use gp_cli::Context;
use std::io::Write;
use std::path::PathBuf;

/// Command of the program.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Run the tables and figures of the papers, and report on them
    #[command(subcommand)]
    Experiment(Experiment),
}

/// Commands for tables and figures.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Experiment {
    /// Print the items, what they need and how long they take
    List(list::Options),
    /// Run items; runs that are there already are not repeated
    Run(run::Options),
    /// Write the pages of all results
    Report(report::Options),
    /// Fetch, list and verify data sets
    Data(data::Options),
}

impl Command {
    pub(crate) fn run(&self, names: &Context, out: &mut dyn Write) -> Result<(), ExperimentError> {
        match self {
            Self::Experiment(Experiment::List(options)) => list::run(options, out),
            Self::Experiment(Experiment::Run(options)) => run::run(options, names, out),
            Self::Experiment(Experiment::Report(options)) => report::run(options, out),
            Self::Experiment(Experiment::Data(options)) => options.run(out),
        }
    }
}

/// Folder of data sets.
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
