//! Stored runs repeated by newer code.

use super::{Cell, Item, Origin, Outcome, Record, Results};
use crate::error::ExperimentError;
use gp_cli::files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

const FILE: &str = "repeated.json";
/// Largest relative difference of equal scores: rounding, and where training ends within its tolerance.
const SAME: f64 = 1e-6;

/// Comparison of stored runs with their repetitions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeated {
    /// Commit and machine of the repetitions.
    pub origin: Origin,
    /// Number of repeated runs.
    pub runs: usize,
    /// Runs whose scores are the same.
    pub same: usize,
    /// Largest relative difference of a score; None without scores.
    pub largest: Option<Difference>,
}

/// Relative difference of a score from its stored value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Run, in words.
    pub run: String,
    /// Name of the score.
    pub score: String,
    /// Relative to the larger value; 1 if a score is missing.
    pub relative: f64,
}

impl Repeated {
    /// No repetitions yet.
    #[must_use]
    pub fn by(origin: Origin) -> Self {
        Self { origin, runs: 0, same: 0, largest: None }
    }

    /// Repetitions by item; empty without a file.
    ///
    /// # Errors
    /// Unreadable or invalid file.
    pub fn all(folder: &Path) -> Result<BTreeMap<String, Self>, ExperimentError> {
        let path = folder.join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|cause| ExperimentError::Files(format!("{}: {cause}", path.display()))),
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(cause) => Err(ExperimentError::NoData { path, cause }),
        }
    }

    /// Stores this for an item, keeping others.
    ///
    /// # Errors
    /// Unreadable or unwritable file.
    pub fn store(self, folder: &Path, item: &str) -> Result<(), ExperimentError> {
        let mut all = Self::all(folder)?;
        all.insert(item.to_owned(), self);
        let text = serde_json::to_string_pretty(&all)
            .map_err(|cause| ExperimentError::Files(format!("{FILE}: {cause}")))?;
        files::write_whole(folder, FILE, (text + "\n").as_bytes())?;
        Ok(())
    }

    /// Adds a repetition.
    pub fn add(&mut self, cell: &Cell, before: &Outcome, now: &Outcome) {
        let differences = before.scores.iter().filter(|(name, _)| !is_time(name)).map(|(name, value)| {
            let relative = now.scores.get(name).map_or(1.0, |other| relative(*value, *other));
            Difference { run: cell.to_string(), score: name.clone(), relative }
        });
        let largest = differences.max_by(|a, b| a.relative.total_cmp(&b.relative));
        self.runs += 1;
        self.same += usize::from(largest.as_ref().is_none_or(|largest| largest.relative <= SAME));
        let is_larger =
            |known: &Difference| largest.as_ref().is_some_and(|new| new.relative > known.relative);
        if self.largest.as_ref().is_none_or(is_larger) {
            self.largest = largest.or_else(|| self.largest.take());
        }
    }

    /// Sentence; `is_old` if code has changed again.
    #[must_use]
    pub fn text(&self, is_old: bool) -> String {
        let Self { origin, runs, same, largest } = self;
        let differs = largest.as_ref().filter(|_| same < runs).map_or_else(String::new, |largest| {
            let Difference { run, score, relative } = largest;
            format!("; the largest relative difference is {relative:.1e} (`{score}` of {run})")
        });
        let scores = if *runs == 1 { "1 run gave".to_owned() } else { format!("{same} of {runs} runs gave") };
        let same = if *runs == 1 && *same == 0 { "other scores" } else { "the same scores" };
        let old = if is_old { ". Code has changed since" } else { "" };
        format!("**Repeated** at commit {}: {scores} {same}{differs}{old}.", origin.commit)
    }
}

/// Shortest run of each method, shortest first, of the current protocol and up to `longest` seconds.
#[must_use]
pub fn shortest<'r>(item: &dyn Item, results: &'r Results, longest: f64) -> Vec<&'r Record> {
    let mut by_method: BTreeMap<&str, (f64, &Record)> = BTreeMap::new();
    for record in results.records().filter(|record| record.failure.is_none()) {
        let Some(seconds) = seconds(&record.outcome).filter(|seconds| *seconds <= longest) else { continue };
        if record.protocol != item.protocol() {
            continue;
        }
        let known = by_method.entry(&record.cell.method).or_insert((seconds, record));
        if seconds < known.0 {
            *known = (seconds, record);
        }
    }
    let mut found: Vec<(f64, &Record)> = by_method.into_values().collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, record)| record).collect()
}

/// Longest stated time.
fn seconds(outcome: &Outcome) -> Option<f64> {
    let times = outcome.scores.iter().filter(|(name, _)| is_time(name)).map(|(_, value)| *value);
    times.reduce(f64::max)
}

fn is_time(score: &str) -> bool {
    ["seconds", "minutes", "speed"].iter().any(|word| score.contains(word))
}

fn relative(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a - b).abs() / a.abs().max(b.abs()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(nll: f64, seconds: f64) -> Outcome {
        Outcome::of([("nll", nll), ("seconds", seconds)])
    }

    #[test]
    fn differences_are_those_of_scores_but_times() {
        let cell = |split| Cell::new("pima", "M=15%", "ep", split);
        let mut repeated = Repeated::by(Origin::unknown());
        repeated.add(&cell(0), &outcome(0.5, 3.0), &outcome(0.5, 9.0));
        assert_eq!(repeated.text(false), "**Repeated** at commit unknown: 1 run gave the same scores.");
        repeated.add(&cell(1), &outcome(0.5, 3.0), &outcome(0.5 + 1e-9, 3.0));
        repeated.add(&cell(2), &outcome(0.5, 3.0), &outcome(0.4, 3.0));
        repeated.add(&cell(3), &outcome(0.0, 3.0), &outcome(0.0, 3.0));
        assert_eq!((repeated.runs, repeated.same), (4, 3));
        let said = "**Repeated** at commit unknown: 3 of 4 runs gave the same scores; the largest relative \
            difference is 2.0e-1 (`nll` of pima, M=15%, ep, split 2). Code has changed since.";
        assert_eq!(repeated.text(true), said);
        repeated.add(&cell(4), &outcome(0.5, 3.0), &Outcome::default());
        assert_eq!(repeated.largest.unwrap().relative, 1.0);
    }

    #[test]
    fn repetitions_of_other_items_stay() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Repeated::all(folder.path()).unwrap().is_empty());
        Repeated::by(Origin::unknown()).store(folder.path(), "a").unwrap();
        let mut second = Repeated::by(Origin::unknown());
        second.add(&Cell::new("d", "s", "m", 0), &outcome(1.0, 1.0), &outcome(2.0, 1.0));
        second.clone().store(folder.path(), "b").unwrap();
        let all = Repeated::all(folder.path()).unwrap();
        assert_eq!((all.len(), &all["b"]), (2, &second));
    }
}
