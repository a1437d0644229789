//! Training and test files, for `gp` and other programs.

use super::store::Store;
use super::{Part, Set, Splits, Task, synthetic};
use crate::error::ExperimentError;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Shared with peers/defaults.py.
const LIST: &str = include_str!("../../peers/sets.csv");
/// Splits without a separate test set.
const SPLITS: usize = 3;
/// Reciprocal share of test rows.
const SHARE: u32 = 5;
/// Tables that come with scikit-learn.
const MADE: &str = "sklearn/";

/// Table with the target last.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    /// Name in results.
    pub name: &'static str,
    /// Kind of the target.
    pub task: Task,
    /// Rows (with test set) and inputs.
    pub size: (usize, usize),
    table: &'static str,
    /// Separate test file.
    test: Option<&'static str>,
}

/// Files of a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainSplit {
    /// Training rows.
    pub training: PathBuf,
    /// Test rows, with targets.
    pub test: PathBuf,
    /// Target column.
    pub target: String,
}

impl Plain {
    /// All tables.
    #[must_use]
    pub fn all() -> Vec<Self> {
        LIST.lines().skip(1).filter_map(Self::parse).collect()
    }

    fn parse(line: &'static str) -> Option<Self> {
        let cells: Vec<&str> = line.split(',').collect();
        let &[name, task, rows, inputs, table, test] = cells.as_slice() else { return None };
        let task = match task {
            "number" => Task::Number,
            "binary" => Task::Binary,
            classes => Task::Classes(classes.parse().ok()?),
        };
        let size = (rows.parse().ok()?, inputs.parse().ok()?);
        Some(Self { name, task, size, table, test: (!test.is_empty()).then_some(test) })
    }

    /// Number of splits.
    #[must_use]
    pub fn splits(&self) -> usize {
        if self.test.is_some() { 1 } else { SPLITS }
    }

    /// Names in the data folder.
    pub fn files(&self) -> impl Iterator<Item = &'static str> {
        [Some(self.table), self.test].into_iter().flatten()
    }

    /// `true` if a script writes the table; not in the manifest.
    #[must_use]
    pub fn is_made(&self) -> bool {
        self.table.starts_with(MADE)
    }

    /// Files of a split; writes missing ones to `folder`.
    ///
    /// # Errors
    /// Missing or unreadable table, or unwritable folder.
    pub fn split(&self, store: &Store, split: usize, folder: &Path) -> Result<PlainSplit, ExperimentError> {
        if self.is_made() && !store.has(self.table) {
            return Err(ExperimentError::NotMade { path: store.path(self.table) });
        }
        match (store, self.test) {
            (Store::Synthetic, _) => {
                let (training, test) = self.drawn(split)?;
                written(folder, &csv(&training, self.task), &csv(&test, self.task))
            }
            (Store::Folder(_), Some(test)) => {
                let target =
                    if test.contains("idx3") { "label".to_owned() } else { target_of(&store.text(test)?) };
                Ok(PlainSplit { training: store.path(self.table), test: store.path(test), target })
            }
            (Store::Folder(_), None) => {
                let text = store.text(self.table)?;
                let [training, test] = [false, true].map(|tested| lines_of(&text, split, tested));
                written(folder, &training, &test)
            }
        }
    }

    fn drawn(&self, split: usize) -> Result<(Part, Part), ExperimentError> {
        let splits = Splits::Drawn { test: 0, count: SPLITS };
        let set = Set {
            name: self.name,
            table: self.table,
            splits,
            task: self.task,
            size: self.size,
            columns: &[],
        };
        synthetic::parts(&set, split)
    }
}

/// `true` for test rows, by a row hash that peers share.
fn is_test(row: usize, split: usize) -> bool {
    let mix = |h: u32, shift: u32, by: u32| (h ^ (h >> shift)).wrapping_mul(by);
    let row = (row as u32).wrapping_mul(0x9E37_79B1);
    let start = row.wrapping_add((split as u32).wrapping_mul(0x85EB_CA77)).wrapping_add(1);
    mix(mix(mix(start, 15, 0x85EB_CA77), 13, 0xC2B2_AE3D), 16, 1).is_multiple_of(SHARE)
}

fn lines_of(text: &str, split: usize, tested: bool) -> String {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let rows = lines.enumerate().filter(|(row, _)| is_test(*row, split) == tested);
    std::iter::once(header)
        .chain(rows.map(|(_, line)| line))
        .fold(String::new(), |out, line| out + line + "\n")
}

fn target_of(text: &str) -> String {
    let header = text.lines().next().unwrap_or_default();
    header.rsplit(',').next().unwrap_or_default().trim().to_owned()
}

/// CSV; class labels are words, as integers could be counts.
fn csv(part: &Part, task: Task) -> String {
    let prefix = if matches!(task, Task::Classes(_)) { "class " } else { "" };
    let mut text: String = (0..part.dim()).map(|d| format!("x{},", d + 1)).collect();
    text.push_str("y\n");
    for i in 0..part.len() {
        let cells: Vec<String> = part.inputs.row(i).iter().map(ToString::to_string).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{prefix}{}", cells.join(","), part.targets[(i, 0)]);
    }
    text
}

fn written(folder: &Path, training: &str, test: &str) -> Result<PlainSplit, ExperimentError> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map(|()| path)
    };
    let (training, target) = (write("train.csv", training)?, target_of(training));
    Ok(PlainSplit { training, test: write("test.csv", test)?, target })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_that_of_the_script() {
        let tested = |split| (0..40).filter(|&row| is_test(row, split)).collect::<Vec<_>>();
        assert_eq!(tested(0), [3, 4, 11, 22, 24, 25, 28, 33, 37]);
        assert_eq!(tested(1), [3, 9, 10, 14, 18, 23, 30, 33, 34]);
        assert_eq!(tested(2), [1, 16, 23, 34]);
        let share = (0..100_000).filter(|&row| is_test(row, 1)).count();
        assert!((19_000..21_000).contains(&share), "{share}");
    }

    #[test]
    fn every_line_of_the_list_is_a_table() {
        let all = Plain::all();
        assert_eq!(all.len(), LIST.lines().count() - 1);
        let names: std::collections::BTreeSet<&str> = all.iter().map(|set| set.name).collect();
        assert_eq!(names.len(), all.len());
    }

    #[test]
    fn rows_are_copied_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let set = Plain { table: "t.csv", test: None, ..Plain::all()[0] };
        std::fs::write(folder.path().join("t.csv"), "a,b c\n0,x\n1,y\n2,z\n3,0.10\n4,v\n").unwrap();
        let split = set.split(&Store::folder(folder.path()), 0, folder.path()).unwrap();
        assert_eq!(split.target, "b c");
        assert_eq!(std::fs::read_to_string(split.training).unwrap(), "a,b c\n0,x\n1,y\n2,z\n");
        assert_eq!(std::fs::read_to_string(split.test).unwrap(), "a,b c\n3,0.10\n4,v\n");
    }

    #[test]
    fn a_table_that_has_to_be_made_says_how() {
        let folder = tempfile::tempdir().unwrap();
        let set = Plain::all().into_iter().find(Plain::is_made).unwrap();
        let refused = set.split(&Store::folder(folder.path()), 0, folder.path()).unwrap_err().to_string();
        assert!(refused.contains("defaults.py sets"), "{refused}");
    }
}
