//! Contents of a grid's report.

use super::number;
use crate::harness::Results;
use crate::report::{Block, Comparison, Pairing, Scale, course, levels, ranks, regions, wins};

/// Part of a grid's report.
///
/// In file names, `{data}`, `{setting}`, `{method}`, `{score}` are replaced. Words select data sets, settings
/// and methods, as for `--only`; none selects all.
#[derive(Debug)]
pub enum Show {
    /// Heading above the following parts.
    Heading(&'static str),
    /// Paragraph.
    Text(&'static str),
    /// Published and own numbers: score, digits.
    Table(&'static str, usize),
    /// Sentence counting agreeing values: score.
    Agreement(&'static str),
    /// Column per method: score, title (may be empty), digits.
    Scores(&'static str, &'static str, usize),
    /// Means over data sets: score, digits.
    Averages(&'static str, usize),
    /// Shares of runs won: pairs.
    Wins(&'static [Pairing]),
    /// Average ranks: methods, scores.
    Ranks(&'static [&'static str], &'static [&'static str]),
    /// Plot per curve: file, curves, words. `nll by seconds` names the axes; seconds are logarithmic.
    Curves(&'static str, &'static [&'static str], &'static [&'static str]),
    /// One plot: file, curve, axis names (horizontal first), words.
    Curve(&'static str, &'static str, [&'static str; 2], &'static [&'static str]),
    /// Mean scores by log of a setting's number, or horizontal lines: file, number, scores.
    Levels(&'static str, &'static str, &'static [&'static str]),
    /// Class regions in a plane: file.
    Regions(&'static str),
    /// Custom contents.
    Own(fn(&Results) -> Vec<Block>),
}

impl Show {
    pub(super) fn blocks(&self, of: &Comparison<'_>) -> Vec<Block> {
        let about = |measure: &'static str| Comparison { measure, ..of.clone() };
        match *self {
            Self::Heading(text) => vec![Block::Heading(3, text.to_owned())],
            Self::Text(text) => vec![Block::text(text)],
            Self::Table(score, digits) => vec![about(score).table(digits)],
            Self::Agreement(score) => vec![Block::text(about(score).agreement())],
            Self::Scores(score, "", digits) => vec![about(score).grid(digits)],
            Self::Scores(score, title, digits) => {
                vec![Block::text(format!("{title}:")), about(score).grid(digits)]
            }
            Self::Averages(score, digits) => vec![about(score).averages(digits)],
            Self::Ranks(methods, scores) => vec![ranks(of.results, methods, scores)],
            Self::Wins(pairings) => vec![wins(of.results, of.data, pairings)],
            Self::Curves(file, names, words) => {
                let axes = |name: &'static str| name.split_once(" by ").map_or(["", name], |(y, x)| [x, y]);
                curves(of, file, &names.iter().map(|name| (*name, axes(name))).collect::<Vec<_>>(), words)
            }
            Self::Curve(file, name, axes, words) => curves(of, file, &[(name, axes)], words),
            Self::Levels(file, name, scores) => by_number(of, file, name, scores),
            Self::Regions(file) => planes(of, file),
            Self::Own(show) => show(of.results),
        }
    }
}

fn curves(of: &Comparison<'_>, file: &str, names: &[(&str, [&str; 2])], words: &[&str]) -> Vec<Block> {
    let (mut blocks, methods) = (Vec::new(), picked(of.methods, words));
    for data in picked(of.data, words) {
        for setting in picked(of.settings, words) {
            for (name, [x, y]) in names {
                let scale = if *x == "seconds" { Scale::Log } else { Scale::Linear };
                let file = named(file, [data, setting, "", y]);
                blocks.extend(course(of.results, &file, [data, setting], &methods, [x, y, name], scale));
            }
        }
    }
    blocks
}

fn by_number(of: &Comparison<'_>, file: &str, name: &str, scores: &[&str]) -> Vec<Block> {
    let settings: Vec<_> = of.settings.iter().map(|setting| (*setting, number(setting, name))).collect();
    let all = of.data.iter().flat_map(|data| scores.iter().map(move |score| (*data, *score)));
    let picture = |(data, score)| {
        let file = named(file, [data, "", "", score]);
        levels(of.results, &file, data, &settings, of.methods, [name, score], Scale::Log)
    };
    all.filter_map(picture).collect()
}

fn planes(of: &Comparison<'_>, file: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    for data in of.data {
        for setting in of.settings {
            let picture = |method: &&str| {
                regions(of.results, &named(file, [data, setting, method, ""]), [data, setting, method])
            };
            blocks.extend(of.methods.iter().filter_map(picture));
        }
    }
    blocks
}

fn picked<'a>(names: &[&'a str], words: &[&str]) -> Vec<&'a str> {
    let asked: Vec<&str> = names.iter().copied().filter(|name| words.contains(name)).collect();
    if asked.is_empty() { names.to_vec() } else { asked }
}

fn named(file: &str, names: [&str; 4]) -> String {
    let places = ["{data}", "{setting}", "{method}", "{score}"];
    places.iter().zip(names).fold(file.to_owned(), |file, (place, name)| file.replace(place, name))
}
