//! Data sets that are not part of the repository.
//!
//! They are looked for in the folder that `GP_DATA` names or, where it is not set, in `shared/data` beside the
//! workspace: a table is a CSV file with a header and the target in its last column, a file of splits has the columns
//! `split` and `test_row`, or `split`, `set` and `row`. Where a file is not there, who asked for it says so and goes on
//! without.

use faer::Mat;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{Read, Result};
use std::path::PathBuf;

/// A table of inputs, and their targets.
#[derive(Clone, Debug)]
pub(crate) struct DataSet {
    /// N×D
    pub(crate) inputs: Mat<f64>,
    /// N
    pub(crate) targets: Vec<f64>,
}

/// The folder of data sets, whether it is there or not.
pub(crate) fn folder() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    std::env::var_os("GP_DATA").map_or_else(beside, PathBuf::from)
}

/// The cells of a CSV file below its header, row by row, if it is there.
pub(crate) fn cells<T>(name: &str, cell: impl Fn(&str) -> Option<T>) -> Option<Vec<Vec<T>>> {
    let text = String::from_utf8(bytes(name)?).ok()?;
    text.lines().skip(1).map(|line| line.split(',').map(|text| cell(text.trim())).collect()).collect()
}

/// The numbers of a CSV file below its header, row by row, if it is there.
pub(crate) fn rows(name: &str) -> Option<Vec<Vec<f64>>> {
    cells(name, |text| text.parse().ok())
}

/// What a file holds, unpacked; nothing, and a word about it, when it is not there.
pub(crate) fn bytes(name: &str) -> Option<Vec<u8>> {
    let path = folder().join(name);
    let found = read(&path);
    if let Err(error) = &found {
        eprintln!("left out: {} ({error}); GP_DATA names the folder of data sets", path.display());
    }
    found.ok()
}

fn read(path: &PathBuf) -> Result<Vec<u8>> {
    let (mut file, mut bytes) = (File::open(path)?, Vec::new());
    match path.extension() {
        Some(end) if end == "gz" => MultiGzDecoder::new(file).read_to_end(&mut bytes)?,
        _ => file.read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

/// A table, if it is there.
pub(crate) fn table(name: &str) -> Option<DataSet> {
    let rows = rows(name)?;
    let dim = rows.first()?.len() - 1;
    let inputs = Mat::from_fn(rows.len(), dim, |i, d| rows[i][d]);
    Some(DataSet { inputs, targets: rows.iter().map(|row| row[dim]).collect() })
}

/// The rows of the test set of each split, if the file is there.
pub(crate) fn splits(name: &str) -> Option<Vec<Vec<usize>>> {
    let mut splits: Vec<Vec<usize>> = Vec::new();
    for row in rows(name)? {
        let (split, row) = (*row.first()? as usize, *row.get(1)? as usize);
        splits.resize(splits.len().max(split + 1), Vec::new());
        splits[split].push(row);
    }
    Some(splits)
}

impl DataSet {
    /// These rows.
    fn part(&self, rows: &[usize]) -> Self {
        let inputs = Mat::from_fn(rows.len(), self.inputs.ncols(), |i, d| self.inputs[(rows[i], d)]);
        Self { inputs, targets: rows.iter().map(|&row| self.targets[row]).collect() }
    }

    /// The rows that are not in a test set, and those that are, both in units in which every column of the first has
    /// mean 0 and variance 1; a constant column is only centred.
    pub(crate) fn split(&self, test: &[usize]) -> (Self, Self) {
        let training: Vec<usize> = (0..self.targets.len()).filter(|row| !test.contains(row)).collect();
        let (mut training, mut test) = self.classes(&training, test);
        let (mean, deviation) = moments(&training.targets);
        for part in [&mut training, &mut test] {
            part.targets.iter_mut().for_each(|y| *y = (*y - mean) / deviation);
        }
        (training, test)
    }
}

impl DataSet {
    /// These rows for training and for tests, inputs in units in which every column of the first has mean 0 and
    /// variance 1; a constant column is only centred. Targets, classes perhaps, stay what they are.
    pub(crate) fn classes(&self, training: &[usize], test: &[usize]) -> (Self, Self) {
        let (mut training, mut test) = (self.part(training), self.part(test));
        for d in 0..self.inputs.ncols() {
            let column: Vec<f64> = training.inputs.col(d).iter().copied().collect();
            let (mean, deviation) = moments(&column);
            for part in [&mut training, &mut test] {
                part.inputs.col_mut(d).iter_mut().for_each(|x| *x = (*x - mean) / deviation);
            }
        }
        (training, test)
    }
}

/// Mean, and standard deviation where it is not zero.
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 })
}
