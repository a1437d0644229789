//! Report: paired differences, and reasons for stopping.

use super::{METHODS, SPARE_POINTS};
use crate::harness::{Cell, Record, Results};
use crate::report::{Block, Summary};

pub(super) const FIXED: &str = "fixed";
pub(super) const LEARNED: &str = "learned";
pub(super) const HALF_FIRST: &str = "power 1/2, then 1";
pub(super) const QUICK_FIT: &str = "quick fit first";
pub(super) const LONGER: &str = "learned, longer";
pub(super) const BEST: &str = "best of ten";

/// Minimum loss in nats, beyond rounding and stopping rules.
const LOSS: f64 = 5.0;

const PAIRS: [(&str, &str); 11] = [
    (FIXED, BEST),
    (LEARNED, BEST),
    ("fixed, then learned", BEST),
    (HALF_FIRST, BEST),
    ("better of two starts", BEST),
    (QUICK_FIT, BEST),
    ("learned, spread, learned", BEST),
    (LONGER, BEST),
    (LEARNED, FIXED),
    (LONGER, LEARNED),
    ("gp fit, learned", "gp fit"),
];

pub(super) fn log_z(results: &Results) -> Vec<Block> {
    let title = format!(
        "Log Z: mean difference on equal splits, with its standard error, in nats; number of splits in which the first is more than {LOSS} nats lower; and its lowest difference:"
    );
    let row = |differences: &[f64]| {
        let low = differences.iter().filter(|difference| **difference < -LOSS).count();
        let lowest = differences.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = Summary::of(differences).map_or_else(String::new, |mean| mean.text(1));
        vec![mean, format!("{low} of {}", differences.len()), format!("{lowest:.1}")]
    };
    vec![Block::text(title), differences(results, "log Z", ["difference", "losses", "lowest"], &row)]
}

pub(super) fn densities(results: &Results) -> Vec<Block> {
    let title = "Negative log density of test targets: mean difference on equal splits, with its standard error, and number of splits in which the first is worse:";
    let row = |differences: &[f64]| {
        let worse = differences.iter().filter(|difference| **difference > 0.0).count();
        let mean = Summary::of(differences).map_or_else(String::new, |mean| mean.text(3));
        vec![mean, format!("{worse} of {}", differences.len())]
    };
    vec![Block::text(title), differences(results, "nlpd", ["difference", "worse"], &row)]
}

pub(super) fn ends(results: &Results) -> Vec<Block> {
    let reasons = |setting: &str, method: &str| {
        let runs = SPARE_POINTS.data.iter().flat_map(|data| results.of(data, setting, method));
        let efforts = runs.filter_map(|record| record.outcome.effort.as_ref());
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for effort in efforts {
            match counts.iter_mut().find(|(reason, _)| *reason == effort.stop) {
                Some((_, count)) => *count += 1,
                None => counts.push((effort.stop.as_str(), 1)),
            }
        }
        counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        counts.iter().map(|(reason, count)| format!("{reason} ({count})")).collect::<Vec<_>>().join(", ")
    };
    let mut rows = Vec::new();
    for setting in SPARE_POINTS.settings {
        for (method, _) in &METHODS {
            let text = reasons(setting, method);
            if !text.is_empty() {
                rows.push(vec![(*setting).to_owned(), (*method).to_owned(), text]);
            }
        }
    }
    vec![
        Block::text(
            "Reasons for stopping, with the number of runs; those of `best of ten` are of its best start:",
        ),
        Block::table(["setting", "method", "reasons"], rows),
    ]
}

fn differences<const N: usize>(
    results: &Results,
    score: &str,
    columns: [&str; N],
    row: &dyn Fn(&[f64]) -> Vec<String>,
) -> Block {
    let mut rows = Vec::new();
    for data in SPARE_POINTS.data {
        for setting in SPARE_POINTS.settings {
            for (first, second) in PAIRS {
                let found = paired(results, [data, setting], (first, second), score);
                if !found.is_empty() {
                    let names = [(*data).to_owned(), (*setting).to_owned(), format!("{first} − {second}")];
                    rows.push(names.into_iter().chain(row(&found)).collect());
                }
            }
        }
    }
    let header = ["data", "setting", "pair"].into_iter().chain(columns).map(str::to_owned).collect();
    Block::Table { header, rows }
}

fn paired(
    results: &Results,
    [data, setting]: [&str; 2],
    (first, second): (&str, &str),
    score: &str,
) -> Vec<f64> {
    let value = |record: &Record| record.outcome.scores.get(score).copied();
    let difference = |record: &Record| {
        let cell = Cell { method: second.to_owned(), ..record.cell.clone() };
        Some(value(record)? - value(results.record(&cell)?)?)
    };
    results.of(data, setting, first).filter_map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Effort, Form, Origin, Outcome};

    fn results(folder: &std::path::Path) -> Results {
        let mut results = Results::open(folder, "spare-points").unwrap();
        for (method, values) in [(FIXED, [-30.0, 1.0]), (BEST, [0.0, 2.0])] {
            for (split, value) in values.into_iter().enumerate() {
                let outcome = Outcome::of([("log Z", value)]).by(Effort::ended("done", 1));
                let cell = Cell::new("yacht", SPARE_POINTS.settings[0], method, split);
                let (form, origin) = (Some(Form::Full), Origin::unknown());
                let record = Record { cell, outcome, protocol: 1, form, failure: None, origin };
                results.add(record).unwrap();
            }
        }
        results
    }

    #[test]
    fn differences_are_of_equal_splits() {
        let folder = tempfile::tempdir().unwrap();
        let results = results(folder.path());
        let Block::Table { rows, .. } = &log_z(&results)[1] else { panic!("no table") };
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0][2..], ["fixed − best of ten", "-15.5 ± 14.5", "1 of 2", "-30.0"]);
        let Block::Table { rows, .. } = &ends(&results)[1] else { panic!("no table") };
        assert_eq!(rows[0][2], "done (2)");
        let Block::Table { rows, .. } = &densities(&results)[1] else { panic!("no table") };
        assert!(rows.is_empty());
    }
}
