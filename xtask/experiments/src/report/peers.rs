//! Comparison with other programs on equal splits.

use super::Comparison;
use super::apart::{AGREE, SPLITS};
use super::{Block, Summary};

#[derive(Clone, Debug, PartialEq)]
struct Behind<'a> {
    peer: &'a str,
    /// Our score minus theirs, in standard errors.
    apart: f64,
}

struct Row<'a> {
    data: &'a str,
    ours: Vec<(usize, f64)>,
    theirs: Vec<(&'a str, Vec<(usize, f64)>)>,
}

impl<'a> Comparison<'a> {
    /// Scores of the first method and setting, and of peers, from reference settings `split=0`, `split=1`
    /// etc. If `marked`, the last column names peers better (lower) by more than two standard errors of the
    /// paired difference.
    #[must_use]
    pub fn peers(&self, peers: &[&'a str], digits: usize, marked: bool) -> Block {
        let rows = self.rows(peers);
        let names = self.methods.iter().take(1).chain(peers).map(|name| (*name).to_owned());
        let mut header: Vec<String> =
            ["data", "splits"].map(str::to_owned).into_iter().chain(names).collect();
        if marked {
            header.push("worse than".to_owned());
        }
        let cells = |row: &Row<'_>| {
            let all = std::iter::once(&row.ours).chain(row.theirs.iter().map(|(_, values)| values));
            let mut cells = vec![row.data.to_owned(), row.ours.len().to_string()];
            cells.extend(all.map(|values| text(values, digits)));
            if marked {
                let behind = row.behind().into_iter();
                let marks = behind.map(|behind| format!("{} ({:+.1})", behind.peer, behind.apart));
                cells.push(marks.collect::<Vec<_>>().join(", "));
            }
            cells
        };
        Block::Table { header, rows: rows.iter().map(cells).collect() }
    }

    /// Sentence counting data sets with better peers.
    #[must_use]
    pub fn tally(&self, peers: &[&'a str]) -> String {
        let behind: Vec<Vec<Behind<'_>>> = self.rows(peers).iter().map(Row::behind).collect();
        let count = |peer: &str| {
            behind.iter().filter(|all| all.iter().any(|behind| behind.peer == peer)).count().to_string()
        };
        let each: Vec<String> =
            peers.iter().map(|peer| format!("than `{peer}` on {}", count(peer))).collect();
        let any = behind.iter().filter(|all| !all.is_empty()).count();
        format!(
            "Worse by more than two standard errors, of {} data sets: than any peer on {any}, {}.",
            behind.len(),
            each.join(", ")
        )
    }

    fn rows(&self, peers: &[&'a str]) -> Vec<Row<'a>> {
        let (Some(method), Some(setting)) = (self.methods.first(), self.settings.first()) else {
            return Vec::new();
        };
        let row = |data: &&'a str| {
            let scored =
                |split| Some((split, self.results.score_of(data, setting, method, split, self.measure)?));
            let cells = self.results.records().map(|record| &record.cell);
            let splits =
                cells.filter(|cell| cell.data == *data && cell.method == *method).map(|cell| cell.split);
            let ours: Vec<(usize, f64)> = splits.filter_map(scored).collect();
            let theirs = |peer: &&'a str| {
                let known = |split: usize| {
                    let setting = format!("split={split}");
                    Some((split, self.reference.get(data, peer, &setting, self.measure)?.value))
                };
                (*peer, ours.iter().filter_map(|(split, _)| known(*split)).collect())
            };
            let theirs = peers.iter().map(theirs).collect();
            (!ours.is_empty()).then_some(Row { data, ours, theirs })
        };
        self.data.iter().filter_map(row).collect()
    }
}

impl<'a> Row<'a> {
    fn behind(&self) -> Vec<Behind<'a>> {
        let of = |(peer, theirs): &(&'a str, Vec<(usize, f64)>)| {
            let apart = apart(&self.ours, theirs)?;
            (apart > AGREE).then_some(Behind { peer, apart })
        };
        self.theirs.iter().filter_map(of).collect()
    }
}

fn text(values: &[(usize, f64)], digits: usize) -> String {
    let values: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    Summary::of(&values).map_or("–".to_owned(), |summary| summary.text(digits))
}

/// Mean paired difference in standard errors; None if few.
fn apart(ours: &[(usize, f64)], theirs: &[(usize, f64)]) -> Option<f64> {
    let other = |split: usize| theirs.iter().find(|(other, _)| *other == split).map(|(_, value)| *value);
    let differences: Vec<f64> =
        ours.iter().filter_map(|(split, value)| Some(value - other(*split)?)).collect();
    let found = Summary::of(&differences).filter(|found| found.count >= SPLITS)?;
    let error = found.error.filter(|error| *error > 0.0)?;
    Some(found.mean / error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Cell, Origin, Outcome, Record, Results};
    use crate::report::Reference;

    const TEXT: &str = "data,method,setting,measure,value,error\n\
        iris,linear,split=0,nll,0.1,\niris,linear,split=1,nll,0.2,\niris,linear,split=2,nll,0.3,\n\
        iris,tree,split=0,nll,0.9,\niris,tree,split=1,nll,0.9,\niris,slow,split=0,nll,0.1,\n";

    #[test]
    fn differences_are_taken_on_the_same_splits() {
        let ours = [(0, 1.0), (1, 2.0), (2, 3.0)];
        let theirs = [(2, 2.5), (1, 1.0), (0, 0.0), (7, 9.0)];
        // Differences 1, 1 and 0.5: mean 5/6, standard error 1/6.
        assert!((apart(&ours, &theirs).unwrap() - 5.0).abs() < 1e-12);
        assert_eq!(apart(&ours, &theirs[..2]), None);
        assert_eq!(apart(&ours, &ours), None);
    }

    #[test]
    fn the_table_marks_peers_that_are_better_beyond_noise() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = Results::open(folder.path(), "item").unwrap();
        for (split, nll) in [0.4, 0.5, 0.7].into_iter().enumerate() {
            let (cell, outcome) = (Cell::new("iris", "s", "gp", split), Outcome::of([("nll", nll)]));
            let origin = Origin::unknown();
            results.add(Record { cell, outcome, protocol: 1, form: None, failure: None, origin }).unwrap();
        }
        let of = Comparison {
            results: &results,
            reference: Reference::new(&[TEXT]),
            data: &["iris", "none"],
            settings: &["s"],
            methods: &["gp"],
            measure: "nll",
        };
        let peers = ["linear", "tree", "slow"];
        let Block::Table { header, rows, .. } = of.peers(&peers, 2, true) else { panic!("a table") };
        assert_eq!(header, ["data", "splits", "gp", "linear", "tree", "slow", "worse than"]);
        let row = ["iris", "3", "0.53 ± 0.09", "0.20 ± 0.06", "0.90 ± 0.00", "0.10", "linear (+10.0)"];
        assert_eq!(rows, [row]);
        let sentence = of.tally(&peers);
        assert!(sentence.contains("of 1 data sets: than any peer on 1, than `linear` on 1"), "{sentence}");
        assert!(sentence.ends_with("than `tree` on 0, than `slow` on 0."), "{sentence}");
    }
}
