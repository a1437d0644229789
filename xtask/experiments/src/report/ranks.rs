//! Average ranks of methods.

use super::{Block, Summary};
use crate::harness::{Record, Results};
use std::collections::{BTreeMap, BTreeSet};

/// Data set, setting, split and protocol.
type Experiment<'a> = (&'a str, &'a str, usize, u32);

/// Average ranks (1: lowest score) with standard errors, over experiments that all methods with results
/// share; ties share mean ranks.
#[must_use]
pub fn ranks(results: &Results, methods: &[&str], scores: &[&str]) -> Block {
    let with = |method: &&&str| results.records().any(|record| record.cell.method == ***method);
    let methods: Vec<&str> = methods.iter().filter(with).copied().collect();
    let header = ["score", "experiments"].into_iter().chain(methods.iter().copied());
    let row = |score: &&str| {
        let experiments = complete(results, &methods, score);
        let ranks: Vec<Vec<f64>> = experiments.iter().map(|values| ranked(values)).collect();
        let text = |k: usize| {
            let own: Vec<f64> = ranks.iter().map(|ranks| ranks[k]).collect();
            Summary::of(&own).map_or("–".to_owned(), |found| found.text(2))
        };
        let names = [(*score).to_owned(), experiments.len().to_string()];
        names.into_iter().chain((0..methods.len()).map(text)).collect()
    };
    let rows = scores.iter().map(row).collect();
    Block::Table { header: header.map(str::to_owned).collect(), rows }
}

fn complete(results: &Results, methods: &[&str], score: &str) -> Vec<Vec<f64>> {
    let mut all: BTreeMap<Experiment<'_>, BTreeMap<&str, f64>> = BTreeMap::new();
    let known: BTreeSet<&str> = methods.iter().copied().collect();
    for record in results.records().filter(|record| known.contains(record.cell.method.as_str())) {
        if let Some(value) = record.outcome.scores.get(score) {
            all.entry(experiment(record)).or_default().insert(&record.cell.method, *value);
        }
    }
    let values = |found: BTreeMap<&str, f64>| -> Option<Vec<f64>> {
        methods.iter().map(|method| found.get(method).copied()).collect()
    };
    all.into_values().filter_map(values).collect()
}

fn experiment(record: &Record) -> Experiment<'_> {
    let cell = &record.cell;
    (&cell.data, &cell.setting, cell.split, record.protocol)
}

/// Ranks from 1.
fn ranked(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        below + 0.5 * (equal + 1.0)
    };
    values.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Cell, Origin, Outcome};

    #[test]
    fn equal_values_share_their_ranks() {
        assert_eq!(ranked(&[3.0, 1.0, 2.0]), [3.0, 1.0, 2.0]);
        assert_eq!(ranked(&[1.0, 1.0, 0.0]), [2.5, 2.5, 1.0]);
    }

    #[test]
    fn only_experiments_of_all_methods_count() {
        let folder = tempfile::tempdir().unwrap();
        let mut results = Results::open(folder.path(), "item").unwrap();
        for (method, split, value) in
            [("a", 0, 1.0), ("b", 0, 2.0), ("a", 1, 2.0), ("b", 1, 1.0), ("a", 2, 0.0)]
        {
            let (cell, outcome) = (Cell::new("d", "s", method, split), Outcome::of([("nll", value)]));
            let origin = Origin::unknown();
            results.add(Record { cell, outcome, protocol: 1, form: None, failure: None, origin }).unwrap();
        }
        let Block::Table { header, rows } = ranks(&results, &["a", "b", "none"], &["nll"]) else {
            panic!("a table")
        };
        assert_eq!(header, ["score", "experiments", "a", "b"]);
        assert_eq!(rows, [["nll", "2", "1.50 ± 0.50", "1.50 ± 0.50"]]);
    }
}
