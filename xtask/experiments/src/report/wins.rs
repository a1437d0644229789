//! Shares of experiments in which one method beats another.

use super::Block;
use crate::harness::{Cell, Results};
use std::collections::BTreeSet;

/// Two methods to compare.
#[derive(Clone, Copy, Debug)]
pub struct Pairing {
    /// First method.
    pub first: &'static str,
    /// Second method.
    pub second: &'static str,
    /// Score; lower is better.
    pub score: &'static str,
    /// Published share, if given.
    pub paper: Option<f64>,
}

/// Share of experiments (data set, setting, split) won, with standard error under independence; data sets
/// with better mean.
#[must_use]
pub fn wins(results: &Results, data: &[&str], pairings: &[Pairing]) -> Block {
    let row = |pair: &Pairing| {
        let experiments = experiments(results, pair);
        let count = experiments.len();
        if count == 0 {
            return None;
        }
        let share =
            experiments.iter().filter(|(_, difference)| *difference < 0.0).count() as f64 / count as f64;
        let error = (share * (1.0 - share) / count as f64).sqrt();
        let mean = |name: &&&str| {
            let all: Vec<f64> = experiments
                .iter()
                .filter(|(set, _)| set == *name)
                .map(|(_, difference)| *difference)
                .collect();
            !all.is_empty() && all.iter().sum::<f64>() < 0.0
        };
        let sets = experiments.iter().map(|(set, _)| *set).collect::<BTreeSet<_>>().len();
        let better = data.iter().filter(mean).count();
        let apart = pair.paper.filter(|_| error > 0.0).map(|paper| (share - paper) / error);
        Some(vec![
            pair.score.to_owned(),
            format!("{} better than {}", pair.first, pair.second),
            pair.paper.map_or_else(String::new, |paper| format!("{paper:.2}")),
            format!("{share:.2} ± {error:.2}"),
            count.to_string(),
            apart.map_or_else(String::new, |apart| format!("{apart:+.1}")),
            format!("{better} of {sets}"),
        ])
    };
    let rows = pairings.iter().filter_map(row).collect();
    Block::table(
        ["score", "pair", "paper", "share", "experiments", "difference / s.e.", "data sets, by mean"],
        rows,
    )
}

fn experiments<'a>(results: &'a Results, pair: &Pairing) -> Vec<(&'a str, f64)> {
    let mut found = Vec::new();
    for record in results.records().filter(|record| record.cell.method == pair.first) {
        let Some(ours) = record.outcome.scores.get(pair.score) else { continue };
        let cell = Cell { method: pair.second.to_owned(), ..record.cell.clone() };
        let same = results.record(&cell).filter(|other| other.protocol == record.protocol);
        let theirs = same.and_then(|other| other.outcome.scores.get(pair.score));
        found.extend(theirs.map(|theirs| (record.cell.data.as_str(), ours - theirs)));
    }
    found
}
