//! Contents of a grid's report.

use super::number;
use crate::harness::Results;
use crate::report::{Block, Comparison, Pairing, Scale, course, levels, ranks, regions, wins};

/// Part of a report on a grid.
///
/// In file names, `{data}`, `{setting}`, `{method}` and `{score}` are replaced per plot. Words select the data sets,
/// settings and methods to plot, as for `--only`; without words, all are plotted.
#[derive(Debug)]
pub enum Show {
    /// Heading above the following parts.
    Heading(&'static str),
    /// Paragraph.
    Text(&'static str),
    /// Score and digits: table of published and own numbers.
    Table(&'static str, usize),
    /// Score: sentence with the number of agreeing values.
    Agreement(&'static str),
    /// Score, title (may be empty) and digits: table with a column per method.
    Scores(&'static str, &'static str, usize),
    /// Score and digits: table of means over data sets.
    Averages(&'static str, usize),
    /// Table of how often one method is better than another.
    Wins(&'static [Pairing]),
    /// Methods and scores: table of average ranks among these methods.
    Ranks(&'static [&'static str], &'static [&'static str]),
    /// File, curves and words: a plot per curve. A name such as `nll by seconds` also names the axes; seconds have a
    /// log scale.
    Curves(&'static str, &'static [&'static str], &'static [&'static str]),
    /// File, curve, names of the horizontal and vertical axis, and words: one plot.
    Curve(&'static str, &'static str, [&'static str; 2], &'static [&'static str]),
    /// File, name of a number in the setting, and scores: plots of mean scores by that number on a log scale, with
    /// horizontal lines for methods without it.
    Levels(&'static str, &'static str, &'static [&'static str]),
    /// File: plots of class regions in a plane.
    Regions(&'static str),
    /// Other contents.
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

/// Names among the words; all names if there are none.
fn picked<'a>(names: &[&'a str], words: &[&str]) -> Vec<&'a str> {
    let asked: Vec<&str> = names.iter().copied().filter(|name| words.contains(name)).collect();
    if asked.is_empty() { names.to_vec() } else { asked }
}

fn named(file: &str, names: [&str; 4]) -> String {
    let places = ["{data}", "{setting}", "{method}", "{score}"];
    places.iter().zip(names).fold(file.to_owned(), |file, (place, name)| file.replace(place, name))
}
