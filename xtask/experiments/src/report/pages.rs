//! All pages: index, one per paper, and one for items of no paper.

use super::Block;
use super::index;
use super::known::Known;
use super::page::{BEYOND, Page, page_of};
use super::printed::{Figure, Judgements, PAPERS};
use super::stale::Changes;
use crate::error::ExperimentError;
use crate::harness::{Extent, Form, Item, Repeated};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Index, and pages with results, including the folder's remarks.
///
/// # Errors
/// Unreadable results or judgements.
pub fn pages(items: &[&'static dyn Item], folder: &Path) -> Result<Vec<Page>, ExperimentError> {
    let (changes, judgements) = (Changes::default(), Judgements::read(folder)?);
    let (repeated, mut known) = (Repeated::all(folder)?, Vec::new());
    for item in items {
        let results = item.results(folder)?;
        let stale = changes.since(*item, &results);
        let repeated = repeated.get(item.name());
        let repeated = repeated.map(|found| found.text(changes.has_changed(&found.origin, *item)));
        known.push(Known { item: *item, results, stale, repeated });
    }
    let mut pages = vec![index::page(&known, &judgements)];
    let titles = PAPERS.iter().map(|(name, title)| (*name, (*title).to_owned()));
    for (name, title) in titles.chain([(BEYOND, "Own experiments".to_owned())]) {
        let own: Vec<&Known> = known.iter().filter(|known| page_of(known.item.name()) == name).collect();
        if own.iter().all(|known| known.results.is_empty()) {
            continue;
        }
        let mut blocks = vec![Block::Heading(1, title.clone()), Block::text("[All papers](README.md)")];
        for known in own {
            blocks.extend(section(known, &judgements, folder));
        }
        pages.push(Page::new(name, &title, blocks));
    }
    Ok(pages)
}

fn section(known: &Known, judgements: &Judgements, folder: &Path) -> Vec<Block> {
    let Known { item, results, stale, repeated } = known;
    let mut blocks = vec![
        Block::Anchor(item.name().to_owned()),
        Block::Heading(2, format!("`{}`: {}", item.name(), item.title())),
        Block::text(item.method()),
        Block::text(reproduce(*item)),
    ];
    if results.is_empty() {
        blocks.push(Block::text("**Not run.**"));
        return blocks;
    }
    blocks.push(Block::text(origins(known)));
    blocks.extend(ends(known).map(Block::text));
    blocks.extend(stale.text().map(Block::text));
    blocks.extend(repeated.clone().filter(|_| stale.code > 0).map(Block::text));
    let figures = || Figure::all().filter(|figure| figure.items().any(|name| name == item.name()));
    if figures().next().is_some() {
        let row = |figure: Figure| {
            let [holds, why] = index::outcome(judgements.of(&figure), &[known]);
            vec![figure.name.to_owned(), format!("“{}”", figure.says), holds, why]
        };
        blocks.push(Block::table(
            ["in the paper", "its statement", "judged", "reason"],
            figures().map(row).collect(),
        ));
    }
    // Remarks are written by hand.
    let remarks = folder.join("remarks").join(format!("{}.md", item.name()));
    blocks.extend(std::fs::read_to_string(remarks).ok().map(Block::text));
    blocks.extend(item.show(results));
    blocks
}

fn reproduce(item: &dyn Item) -> String {
    let [full, reduced] = item.takes();
    let count = |form| runs(item.cells(&Extent { form, splits: None }).len());
    format!(
        "Reproduce: `cargo xtask experiment run {name}` ({}, {reduced}), or with `--full` ({}, {full}); estimates, for \
         two cores.",
        count(Form::Reduced),
        count(Form::Full),
        name = item.name()
    )
}

fn runs(count: usize) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}

fn origins(known: &Known) -> String {
    let results = &known.results;
    let set = |of: fn(&crate::harness::Origin) -> &String| -> Vec<&str> {
        let all: BTreeSet<&str> = results.records().map(|record| of(&record.origin).as_str()).collect();
        all.into_iter().collect()
    };
    let splits: BTreeSet<usize> = results.records().map(|record| record.cell.split).collect();
    let failed = results.records().filter(|record| record.failure.is_some()).count();
    let failures = if failed > 0 { format!(", {failed} of which failed") } else { String::new() };
    let seconds: f64 = results.records().filter_map(|record| record.outcome.scores.get("seconds")).sum();
    let splits = match (splits.first(), splits.last()) {
        (Some(first), Some(last)) if last > first => format!("splits {first} to {last}"),
        _ => "1 split".to_owned(),
    };
    format!(
        "{}{failures} ({}); {splits}; {} of training; from commit {} on {}.",
        runs(results.records().count()),
        known.scale(),
        duration(seconds),
        set(|origin| &origin.commit).join(", "),
        set(|origin| &origin.machine).join(", ")
    )
}

fn ends(known: &Known) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut failed, mut early) = (0, 0);
    for effort in known.results.records().filter_map(|record| record.outcome.effort.as_ref()) {
        // Details after a semicolon differ between runs.
        let stop = effort.stop.split_once(';').map_or(effort.stop.as_str(), |(stop, _)| stop);
        *counts.entry(stop).or_default() += 1;
        failed += effort.failed_evaluations;
        early += usize::from(effort.is_early);
    }
    let said: Vec<String> = counts.iter().map(|(stop, count)| format!("{stop} ({})", runs(*count))).collect();
    let evaluations = if failed == 1 { "1 evaluation" } else { &format!("{failed} evaluations") };
    (!said.is_empty()).then(|| {
        let end = format!("How training ended: {}. {evaluations} failed.", said.join("; "));
        if early == 0 {
            end
        } else {
            format!("{end} {} ended early, for another reason than in the paper.", runs(early))
        }
    })
}

fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 120.0 => format!("{seconds:.0} s"),
        seconds if seconds < 7200.0 => format!("{:.0} minutes", seconds / 60.0),
        seconds => format!("{:.1} hours", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_times_are_in_words() {
        assert_eq!(
            (runs(1), duration(90.0), duration(600.0)),
            ("1 run".into(), "90 s".into(), "10 minutes".into())
        );
    }
}
