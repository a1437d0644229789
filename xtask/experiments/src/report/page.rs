//! The page of all items.

use super::contents::Contents;
use super::{Block, html, markdown};
use crate::error::ExperimentError;
use crate::harness::{Item, Results};
use gp_cli::files;
use std::collections::BTreeSet;
use std::path::Path;

const TITLE: &str = "What the papers found, and what this workspace finds";
const INTRODUCTION: &str = "Tables and figures of five papers, run again. “paper” is the paper's number; the next \
column is ours, a mean over splits with its standard error. The last column is ours less the paper's in standard \
errors of the difference, from three splits on; a number of the paper without an error is taken for one run, which \
scatters as one of ours does. Splits, initial values and machines are not the paper's, so that one number in twenty is \
two off by chance even where nothing else differs. Times are processor seconds of one thread, and only their ratios \
mean something.\n\n\
`cargo xtask experiment run ITEM` repeats an item, `cargo xtask experiment report` makes this page from the files \
`ITEM.jsonl` beside it, one line a run.";

/// A page, ready to be written.
#[derive(Clone, Debug)]
pub struct Page {
    blocks: Vec<Block>,
}

/// The page of the items that have results in the folder, with what people have remarked on them.
///
/// # Errors
/// For results that cannot be read.
pub fn page(items: &[&'static dyn Item], folder: &Path) -> Result<Page, ExperimentError> {
    let (mut blocks, mut contents) = (Vec::new(), Contents::default());
    for item in items {
        let results = Results::open(folder, item.name())?;
        if results.is_empty() {
            continue;
        }
        blocks.push(Block::Heading(2, format!("`{}`: {}", item.name(), item.title())));
        blocks.push(Block::text(item.method()));
        blocks.push(Block::text(origins(&results)));
        // Remarks are somebody's reading of the results, and are not made with the page.
        if let Ok(remarks) =
            std::fs::read_to_string(folder.join("remarks").join(format!("{}.md", item.name())))
        {
            blocks.push(Block::text(remarks));
        }
        let shown = item.show(&results);
        contents.add(*item, &results, &shown);
        blocks.extend(shown);
    }
    let mut all = vec![Block::Heading(1, TITLE.to_owned()), Block::text(INTRODUCTION), contents.block()];
    all.append(&mut blocks);
    Ok(Page { blocks: all })
}

impl Page {
    /// Writes `README.md`, its pictures in `figures`, and `report.html`, which has them inside.
    ///
    /// # Errors
    /// Where files cannot be written, or pictures cannot be drawn.
    pub fn write(&self, folder: &Path) -> Result<(), ExperimentError> {
        let figures = folder.join("figures");
        files::make_writable_folder(&figures)?;
        for block in &self.blocks {
            if let Block::Figure(name, picture) = block {
                files::write_whole(&figures, &format!("{name}.svg"), &picture.svg()?)?;
            }
        }
        files::write_whole(folder, "README.md", markdown::render(&self.blocks).as_bytes())?;
        files::write_whole(folder, "report.html", html::render(TITLE, &self.blocks)?.as_bytes())?;
        Ok(())
    }
}

/// How many runs there are, what they were made from and where.
fn origins(results: &Results) -> String {
    let set = |of: fn(&crate::harness::Origin) -> &String| -> Vec<&str> {
        let all: BTreeSet<&str> = results.records().map(|record| of(&record.origin).as_str()).collect();
        all.into_iter().collect()
    };
    let splits: BTreeSet<usize> = results.records().map(|record| record.cell.split).collect();
    let failed = results.records().filter(|record| record.failure.is_some()).count();
    let failures = if failed > 0 { format!(", {failed} of which failed") } else { String::new() };
    format!(
        "{} runs{failures}; splits {}; from commit {} on {}.",
        results.records().count(),
        splits.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        set(|origin| &origin.commit).join(", "),
        set(|origin| &origin.machine).join(", ")
    )
}
