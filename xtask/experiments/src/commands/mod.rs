//! Subcommands.

mod data;
mod list;
mod repeat;
mod report;
mod run;

use crate::ExperimentError;
use gp_cli::Context;
use std::io::Write;
use std::path::PathBuf;

/// Command of the program.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Reproduce tables and figures of five papers
    #[command(subcommand)]
    Experiment(Experiment),
}

/// Commands for tables and figures.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Experiment {
    /// List the items, with data files and durations
    List(list::Options),
    /// Run items; existing results are not repeated
    Run(run::Options),
    /// Repeat some runs, to see whether newer code gives the same scores
    Repeat(repeat::Options),
    /// Write report pages of all results
    Report(report::Options),
    /// Fetch, list and verify data files
    Data(data::Options),
}

impl Command {
    pub(crate) fn run(&self, names: &Context, out: &mut dyn Write) -> Result<(), ExperimentError> {
        match self {
            Self::Experiment(Experiment::List(options)) => list::run(options, out),
            Self::Experiment(Experiment::Run(options)) => run::run(options, names, out),
            Self::Experiment(Experiment::Repeat(options)) => repeat::run(options, names, out),
            Self::Experiment(Experiment::Report(options)) => report::run(options, out),
            Self::Experiment(Experiment::Data(options)) => options.run(out),
        }
    }
}

/// Folder of data sets.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct DataFolder {
    /// Folder of data sets (default: `GP_DATA`, or `../shared/data`)
    #[arg(long = "data", value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl DataFolder {
    pub(crate) fn path(&self) -> PathBuf {
        let named = || std::env::var_os("GP_DATA").map(PathBuf::from);
        self.folder.clone().or_else(named).unwrap_or_else(|| PathBuf::from("../shared/data"))
    }
}
