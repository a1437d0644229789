//! `report`: writes pages of all results.

use crate::ExperimentError;
use crate::harness::Repeated;
use crate::items::ITEMS;
use crate::report::{Changes, Page, pages};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const OPENERS: [&str; 3] = ["xdg-open", "open", "explorer"];

/// Options of `report`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// Folder of results and pages
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// Open the pages in a browser
    #[arg(long)]
    open: bool,
    /// Instead, count results of an earlier protocol or of changed code
    #[arg(long, conflicts_with = "open")]
    stale: bool,
}

/// Writes pages (Markdown, HTML), an index, and plots.
pub(super) fn run(options: &Options, out: &mut dyn Write) -> Result<(), ExperimentError> {
    if options.stale {
        return stale(&options.results, out);
    }
    let pages = pages(ITEMS, &options.results)?;
    for page in &pages {
        for name in page.write(&options.results)? {
            writeln!(out, "wrote {}", options.results.join(name).display())?;
        }
    }
    sweep(&options.results.join("figures"), &pages.iter().flat_map(Page::pictures).collect())?;
    if options.open { open(&options.results.join("index.html")) } else { Ok(()) }
}

fn sweep(figures: &Path, shown: &BTreeSet<String>) -> Result<(), ExperimentError> {
    let failed = |cause: std::io::Error| ExperimentError::Files(format!("{}: {cause}", figures.display()));
    for entry in std::fs::read_dir(figures).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.ends_with(".svg") && !shown.contains(&name) {
            std::fs::remove_file(path).map_err(failed)?;
        }
    }
    Ok(())
}

fn stale(folder: &Path, out: &mut dyn Write) -> Result<(), ExperimentError> {
    let (changes, repeated) = (Changes::default(), Repeated::all(folder)?);
    let (mut all, mut lines) = (0, 0);
    for item in ITEMS {
        let stale = changes.since(*item, &item.results(folder)?);
        (all, lines) = (all + stale.all, lines + stale.lines);
        if let Some(text) = stale.text() {
            writeln!(out, "{}: {}", item.name(), text.trim_start_matches("**Stale:** "))?;
            if let Some(found) = repeated.get(item.name()) {
                let text = found.text(changes.has_changed(&found.origin, *item));
                writeln!(out, "    {}", text.replace("**", ""))?;
            }
        }
    }
    writeln!(out, "{lines} of {all} lines are stale")?;
    Ok(())
}

fn open(page: &Path) -> Result<(), ExperimentError> {
    let opens =
        |program: &&str| Command::new(program).arg(page).status().is_ok_and(|status| status.success());
    if OPENERS.iter().any(opens) {
        return Ok(());
    }
    Err(ExperimentError::Files(format!("no browser was found; open {} in one", page.display())))
}
