//! Index page: every table and figure, our judgement, and extent of runs.

use super::known::Known;
use super::page::{BEYOND, Page, page_of};
use super::printed::{Figure, Judgement, Judgements, PAPERS};
use super::{Block, Tally};

const TITLE: &str = "Results of the papers, reproduced";
const INTRODUCTION: &str = "Tables and figures of five papers, reproduced. In tables, “paper” is the published number, and \
the next column our mean over splits with its standard error. From three splits on, another column gives our number minus the \
paper's, in standard errors of the difference. A published number without an error is treated as a single run with our \
standard deviation. An error printed as 0.00 counts as half of its last digit. Splits, initial values and machines differ from \
the papers', so one number in twenty is off by two standard errors by chance. Times are processor seconds of one thread; only \
their ratios are meaningful.\n\n\
“Not run”: the paper has a number, and we have none. ‡: result of an earlier protocol, never averaged with the current one. \
“Ended early”: training ended for another reason than in the paper. “Judged”: our judgement of the paper's statement, from \
`judgements.csv`; longer remarks are in `remarks`.\n\n\
`cargo xtask experiment run ITEM` repeats an item. `cargo xtask experiment report` writes these pages from the files \
`ITEM.jsonl`, which have one line per run. Its flag `--stale` counts the lines made by code that has changed since. `cargo xtask experiment repeat ITEM` runs some of them again, and says whether the scores are the same.";

pub(super) fn page(known: &[Known], judgements: &Judgements) -> Page {
    let mut blocks = vec![Block::Heading(1, TITLE.to_owned()), Block::text(INTRODUCTION)];
    blocks.push(Block::text(numbers(known)));
    blocks.push(Block::text(sentences(known, judgements)));
    for (paper, title) in PAPERS {
        blocks.push(Block::Heading(2, title.to_owned()));
        let figures = Figure::all().filter(|figure| figure.paper == paper);
        let rows = figures.map(|figure| row(&figure, known, judgements)).collect();
        blocks.push(Block::table(
            ["in the paper", "subject", "its statement", "judged", "reason", "runs", "item"],
            rows,
        ));
    }
    blocks.push(Block::Heading(2, "Own experiments".to_owned()));
    let own = known.iter().filter(|known| page_of(known.item.name()) == BEYOND);
    let row = |known: &Known| vec![link(known.item.name()), known.item.title().to_owned(), known.scale()];
    blocks.push(Block::table(["item", "subject", "runs"], own.map(row).collect()));
    Page::new("index", TITLE, blocks)
}

fn numbers(known: &[Known]) -> String {
    let tables = known.iter().filter(|known| known.item.name().contains("table"));
    let of = |known: &Known| Tally::of(known.item.reference(), &known.results, None);
    let all = tables.map(of).fold(Tally::default(), Tally::plus);
    format!("**Numbers** of the papers' tables. {}", all.text())
}

fn sentences(known: &[Known], judgements: &Judgements) -> String {
    let holds = |figure: Figure| outcome(judgements.of(&figure), &of(&figure, known))[0].clone();
    let all: Vec<String> = Figure::all().map(holds).collect();
    let count = |word: &str| all.iter().filter(|holds| holds.starts_with(word)).count();
    let earlier = all.iter().filter(|holds| holds.ends_with('‡')).count();
    format!(
        "**Statements** on the {} tables and figures with an experiment. Confirmed: yes {}, no {}, unclear {}, not run or \
         not judged {}; {earlier} of these judgements are of results of an earlier protocol (‡).",
        all.len(),
        count("yes"),
        count("no") - count("not"),
        count("unclear"),
        count("not"),
    )
}

fn of<'a>(figure: &Figure, known: &'a [Known]) -> Vec<&'a Known> {
    figure.items().filter_map(|name| known.iter().find(|known| known.item.name() == name)).collect()
}

fn row(figure: &Figure, known: &[Known], judgements: &Judgements) -> Vec<String> {
    let own = of(figure, known);
    let [holds, why] = outcome(judgements.of(figure), &own);
    let scale = |known: &&Known| known.scale();
    let scales = if own.is_empty() { "no item".to_owned() } else { join(own.iter().map(scale)) };
    let items = join(own.iter().map(|known| link(known.item.name())));
    let names = [figure.name.to_owned(), figure.what.to_owned(), format!("“{}”", figure.says)];
    names.into_iter().chain([holds, why, scales, items]).collect()
}

fn join(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join("; ")
}

fn link(item: &str) -> String {
    format!("[{item}]({}.md#{item})", page_of(item))
}

/// Judgement and reason; marked if all results are old.
pub(super) fn outcome(judgement: Option<&Judgement>, own: &[&Known]) -> [String; 2] {
    if own.iter().all(|known| known.results.is_empty()) {
        return ["not run".to_owned(), String::new()];
    }
    let mark = if own.iter().all(|known| known.results.is_empty() || known.is_old()) { " ‡" } else { "" };
    match judgement {
        Some(Judgement { holds, why, shown }) => {
            let picture =
                if shown.is_empty() { String::new() } else { format!(" ([picture](figures/{shown}.svg))") };
            [format!("{holds}{mark}"), format!("{why}{picture}")]
        }
        None => ["not judged".to_owned(), String::new()],
    }
}
