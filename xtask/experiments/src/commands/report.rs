//! `report`: the page of all results.

use crate::ExperimentError;
use crate::items::ITEMS;
use crate::report::page;
use std::io::Write;
use std::path::PathBuf;

/// Options of `report`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Folder of results, and of the page
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
}

/// Writes `README.md`, `report.html` and the pictures.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<(), ExperimentError> {
    page(ITEMS, &options.results)?.write(&options.results)?;
    writeln!(out, "wrote {}", options.results.join("README.md").display())?;
    writeln!(out, "wrote {}", options.results.join("report.html").display())?;
    Ok(())
}
