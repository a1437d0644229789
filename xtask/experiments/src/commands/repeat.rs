//! `repeat`: compares stored results with new runs.

use super::DataFolder;
use crate::ExperimentError;
use crate::data::Store;
use crate::harness::{Context, Extent, Form, Origin, Repeated, perform, shortest};
use crate::items;
use gp_cli::fit::parse_time;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Options of `repeat`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Names of items, or `all`
    #[arg(value_name = "ITEM", required = true)]
    items: Vec<String>,
    #[command(flatten)]
    data: DataFolder,
    /// Number of runs per item: the shortest ones of different methods
    #[arg(long, value_name = "K", default_value_t = 3)]
    runs: usize,
    /// Longest run to repeat, by its stored time
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "2m")]
    longest: Duration,
    /// Folder of results
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
}

/// Repeats runs of the current protocol; the report shows whether the scores are the same. Results stay.
pub(super) fn run(
    options: &Options,
    names: &gp_cli::Context,
    out: &mut dyn Write,
) -> Result<(), ExperimentError> {
    for item in items::find(&options.items)? {
        let results = item.results(&options.results)?;
        let chosen = shortest(item, &results, options.longest.as_secs_f64());
        let mut repeated = Repeated::by(Origin::here());
        for before in chosen.into_iter().take(options.runs) {
            let form = before.form.unwrap_or(Form::Reduced);
            let store = match form {
                Form::Quick => Store::Synthetic,
                Form::Reduced | Form::Full => Store::folder(&options.data.path()),
            };
            let context = Context { store, extent: Extent { form, splits: None }, names: names.clone() };
            let now = perform(item, &before.cell, &context, &repeated.origin);
            repeated.add(&before.cell, &before.outcome, &now.outcome);
        }
        if repeated.runs == 0 {
            writeln!(out, "{}: no run of the current protocol is short enough", item.name())?;
            continue;
        }
        writeln!(out, "{}: {}", item.name(), repeated.text(false).replace("**", ""))?;
        repeated.store(&options.results, item.name())?;
    }
    Ok(())
}
