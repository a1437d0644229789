//! `run`: runs items.

use super::DataFolder;
use crate::ExperimentError;
use crate::data::Store;
use crate::harness::{Context, Extent, Form, Item, Progress, Results, Visited, Workers, names};
use crate::items;
use crate::methods::guest::Guest;
use gp_cli::fit::parse_time;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Options of `run`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Names of items, or `all`
    #[arg(value_name = "ITEM", required = true)]
    items: Vec<String>,
    #[command(flatten)]
    data: DataFolder,
    /// Run the paper's extent instead of the reduced form
    #[arg(long, conflicts_with = "quick")]
    full: bool,
    /// Run one split of small generated data, as a test
    #[arg(long)]
    quick: bool,
    /// Number of splits (default: the item's)
    #[arg(long, value_name = "K")]
    splits: Option<usize>,
    /// Start no run after this time, such as 30m
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    budget: Option<Duration>,
    /// Number of parallel single-threaded runs; ignored by items that measure threads (default: number of processors)
    #[arg(long, value_name = "T")]
    threads: Option<usize>,
    /// Only runs of this data set, setting or method, such as `pima`; can be repeated
    #[arg(long, value_name = "WORD")]
    only: Vec<String>,
    /// Method of `gp` instead of the item's, with optional likelihood, as in `svgp: bernoulli_logit`; can be
    /// repeated
    #[arg(long = "method", value_name = "METHOD[: LIKELIHOOD]")]
    guests: Vec<String>,
    /// Folder of results (default: `results`; with --quick, `target/quick-results`)
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
}

/// Runs cells without a result; continues after failures.
pub(super) fn run(
    options: &Options,
    names: &gp_cli::Context,
    out: &mut dyn Write,
) -> Result<(), ExperimentError> {
    options.guests.iter().try_for_each(|name| Guest::named(name, names).map(|_| ()))?;
    let items = items::find(&options.items)?;
    let visited = Visited::all(&items, &options.guests)?;
    let items: Vec<&dyn Item> =
        if visited.is_empty() { items } else { visited.iter().map(|item| item as _).collect() };
    let (form, store) = match (options.quick, options.full) {
        (true, _) => (Form::Quick, Store::Synthetic),
        (_, true) => (Form::Full, Store::folder(&options.data.path())),
        _ => (Form::Reduced, Store::folder(&options.data.path())),
    };
    let default = if options.quick { "target/quick-results" } else { "results" };
    let folder = options.results.clone().unwrap_or_else(|| PathBuf::from(default));
    let extent = Extent { form, splits: options.splits };
    let context = Context { store, extent, names: names.clone() };
    check_words(&items, &context.extent, &options.only)?;
    let start = Instant::now();
    let (mut failed, mut all) = (0, 0);
    for item in items {
        let mut results = Results::open(&folder, item.name())?;
        let workers = Workers {
            threads: options
                .threads
                .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
            budget: options.budget.map(|budget| budget.saturating_sub(start.elapsed())),
        };
        let tally = workers.run(item, &context, &options.only, &mut results, &say)?;
        writeln!(
            out,
            "{}: {} of {} runs done, {} of them earlier, {} failed",
            item.name(),
            tally.all - tally.left,
            tally.all,
            tally.before,
            tally.failed
        )?;
        failed += tally.failed;
        all += tally.all;
    }
    if failed > 0 { Err(ExperimentError::Failed { failed, all }) } else { Ok(()) }
}

fn check_words(items: &[&dyn Item], extent: &Extent, words: &[String]) -> Result<(), ExperimentError> {
    let known: BTreeSet<String> = items.iter().flat_map(|item| names(&item.cells(extent))).collect();
    match words.iter().find(|word| !known.contains(*word)) {
        None => Ok(()),
        Some(word) => {
            let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            Err(ExperimentError::NoWord { word: word.clone(), known })
        }
    }
}

fn say(progress: Progress<'_>) {
    let Progress { record, done, all, seconds } = progress;
    let outcome = match &record.failure {
        Some(why) => format!("failed: {why}"),
        None => {
            let scores = record.outcome.scores.iter().map(|(name, value)| format!("{name} {value:.4}"));
            scores.collect::<Vec<_>>().join(", ")
        }
    };
    // A failure to print does not stop the work.
    let _ = writeln!(std::io::stderr(), "[{done}/{all}] {} ({seconds:.1} s): {outcome}", record.cell);
}
