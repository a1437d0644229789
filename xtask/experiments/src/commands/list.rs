//! `list`: prints all items.

use super::DataFolder;
use crate::ExperimentError;
use crate::data::Store;
use crate::harness::{Extent, Form};
use crate::items::ITEMS;
use std::io::Write;

/// Options of `list`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    data: DataFolder,
}

pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<(), ExperimentError> {
    let store = Store::folder(&options.data.path());
    for item in ITEMS {
        let runs = |form| item.cells(&Extent { form, splits: None }).len();
        let [full, reduced] = item.takes();
        writeln!(out, "{}: {}", item.name(), item.title())?;
        writeln!(
            out,
            "    full: {} runs, {full}; reduced: {} runs, {reduced} (estimates, for two cores)",
            runs(Form::Full),
            runs(Form::Reduced)
        )?;
        let missing: Vec<String> = item.needs().into_iter().filter(|file| !store.has(file)).collect();
        let data = store.path("");
        if item.needs().is_empty() {
            writeln!(out, "    needs no files")?;
        } else if missing.is_empty() {
            writeln!(out, "    all {} files are in {}", item.needs().len(), data.display())?;
        } else {
            writeln!(out, "    missing in {}: {}", data.display(), missing.join(", "))?;
        }
    }
    Ok(())
}
