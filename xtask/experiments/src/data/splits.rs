//! Training and test rows.

use super::Store;
use crate::error::ExperimentError;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Source of splits.
#[derive(Clone, Copy, Debug)]
pub enum Splits {
    /// File with columns `split` and `test_row`; other rows are for training.
    TestRows {
        /// File name in the data folder.
        file: &'static str,
        /// Number of splits.
        count: usize,
    },
    /// File with columns `split`, `set` and `row`.
    BothParts {
        /// File name in the data folder.
        file: &'static str,
        /// Number of splits.
        count: usize,
    },
    /// Random test rows, seeded by split index.
    Drawn {
        /// Number of test rows.
        test: usize,
        /// Number of splits.
        count: usize,
    },
}

impl Splits {
    /// Number of splits.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::TestRows { count, .. } | Self::BothParts { count, .. } | Self::Drawn { count, .. } => {
                *count
            }
        }
    }

    /// File, if any.
    #[must_use]
    pub fn file(&self) -> Option<&'static str> {
        match self {
            Self::TestRows { file, .. } | Self::BothParts { file, .. } => Some(file),
            Self::Drawn { .. } => None,
        }
    }

    /// Training and test rows among `rows`.
    ///
    /// # Errors
    /// Missing file or split, or row numbers beyond the table.
    pub fn rows(
        &self,
        store: &Store,
        split: usize,
        rows: usize,
    ) -> Result<(Vec<usize>, Vec<usize>), ExperimentError> {
        match self {
            Self::Drawn { test, .. } => Ok(drawn(split, rows, *test)),
            Self::TestRows { file, .. } => {
                let test = listed(store, file, split, None)?;
                let mut is_test = vec![false; rows];
                for &row in &test {
                    *is_test.get_mut(row).ok_or_else(|| store.bad(file, 0, format!("no row {row}")))? = true;
                }
                Ok(((0..rows).filter(|&row| !is_test[row]).collect(), test))
            }
            Self::BothParts { file, .. } => {
                let parts =
                    (listed(store, file, split, Some("train"))?, listed(store, file, split, Some("test"))?);
                match parts.0.iter().chain(&parts.1).find(|row| **row >= rows) {
                    Some(row) => Err(store.bad(file, 0, format!("no row {row}"))),
                    None => Ok(parts),
                }
            }
        }
    }
}

fn listed(
    store: &Store,
    file: &str,
    split: usize,
    part: Option<&str>,
) -> Result<Vec<usize>, ExperimentError> {
    let mut rows = Vec::new();
    for (i, line) in store.text(file)?.lines().enumerate().skip(1) {
        let bad = || store.bad(file, i + 1, format!("`{line}` is no row of a split"));
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let (number, rest) = cells.split_first().ok_or_else(bad)?;
        let (row, kind) = match (rest, part) {
            ([row], None) => (row, true),
            ([kind, row], Some(part)) => (row, *kind == part),
            _ => return Err(bad()),
        };
        let (number, row): (usize, usize) =
            (number.parse().map_err(|_| bad())?, row.parse().map_err(|_| bad())?);
        if number == split && kind {
            rows.push(row);
        }
    }
    if rows.is_empty() { Err(store.bad(file, 0, format!("it has no split {split}"))) } else { Ok(rows) }
}

/// Shuffles rows in place.
pub fn shuffle(rows: &mut [usize], rng: &mut ChaCha8Rng) {
    for last in (1..rows.len()).rev() {
        rows.swap(last, rng.random_range(0..=last));
    }
}

fn drawn(split: usize, rows: usize, test: usize) -> (Vec<usize>, Vec<usize>) {
    let mut rng = ChaCha8Rng::seed_from_u64(split as u64);
    let mut all: Vec<usize> = (0..rows).collect();
    shuffle(&mut all, &mut rng);
    let training = all.split_off(test.min(rows));
    (training, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_splits_are_whole_and_differ() {
        let (training, test) = drawn(0, 50, 5);
        let mut all: Vec<usize> = training.iter().chain(&test).copied().collect();
        all.sort_unstable();
        assert_eq!(all, (0..50).collect::<Vec<_>>());
        assert_eq!(test.len(), 5);
        assert_ne!(test, drawn(1, 50, 5).1);
        assert_eq!(test, drawn(0, 50, 5).1);
    }

    #[test]
    fn both_kinds_of_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::folder(folder.path());
        std::fs::write(folder.path().join("a.csv"), "split,test_row\n0,1\n1,0\n1,2\n").unwrap();
        let splits = Splits::TestRows { file: "a.csv", count: 2 };
        assert_eq!(splits.rows(&store, 1, 4).unwrap(), (vec![1, 3], vec![0, 2]));
        assert!(splits.rows(&store, 1, 2).unwrap_err().to_string().contains("no row 2"));
        assert!(splits.rows(&store, 2, 4).unwrap_err().to_string().contains("no split 2"));
        std::fs::write(folder.path().join("b.csv"), "split,set,row\n0,train,3\n0,test,1\n").unwrap();
        let splits = Splits::BothParts { file: "b.csv", count: 1 };
        assert_eq!(splits.rows(&store, 0, 4).unwrap(), (vec![3], vec![1]));
        std::fs::write(folder.path().join("b.csv"), "split,set,row\n0,train,x\n").unwrap();
        assert!(splits.rows(&store, 0, 4).unwrap_err().to_string().contains("line 2"));
    }
}
