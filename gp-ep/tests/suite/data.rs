//! CSV files with header and target in the last column, in `GP_DATA` or else `shared/data` in the workspace's parent.
//! Tests report and skip missing ones.

use faer::Mat;
use std::path::PathBuf;

#[derive(Clone, Debug)]
pub(crate) struct DataSet {
    /// N×D
    pub(crate) inputs: Mat<f64>,
    pub(crate) targets: Vec<f64>,
}

pub(crate) fn table(name: &str) -> Option<DataSet> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let path = std::env::var_os("GP_DATA").map_or_else(beside, PathBuf::from).join(name);
    let found = std::fs::read_to_string(&path);
    if let Err(error) = &found {
        eprintln!("left out: {} ({error}); GP_DATA names the folder of data sets", path.display());
    }
    let text = found.ok()?;
    let numbers = |line: &str| line.split(',').map(|cell| cell.trim().parse().ok()).collect();
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(numbers).collect::<Option<_>>()?;
    let dim = rows.first()?.len() - 1;
    let inputs = Mat::from_fn(rows.len(), dim, |i, d| rows[i][d]);
    Some(DataSet { inputs, targets: rows.iter().map(|row| row[dim]).collect() })
}

impl DataSet {
    fn part(&self, rows: &[usize]) -> Self {
        let inputs = Mat::from_fn(rows.len(), self.inputs.ncols(), |i, d| self.inputs[(rows[i], d)]);
        Self { inputs, targets: rows.iter().map(|&row| self.targets[row]).collect() }
    }

    /// Training and test rows, standardised by the training rows; constant columns are only centred.
    pub(crate) fn split(&self, test: &[usize]) -> (Self, Self) {
        let training: Vec<usize> = (0..self.targets.len()).filter(|row| !test.contains(row)).collect();
        let (mut training, mut test) = (self.part(&training), self.part(test));
        for d in 0..self.inputs.ncols() {
            let column: Vec<f64> = training.inputs.col(d).iter().copied().collect();
            let (mean, deviation) = moments(&column);
            for part in [&mut training, &mut test] {
                part.inputs.col_mut(d).iter_mut().for_each(|x| *x = (*x - mean) / deviation);
            }
        }
        let (mean, deviation) = moments(&training.targets);
        for part in [&mut training, &mut test] {
            part.targets.iter_mut().for_each(|y| *y = (*y - mean) / deviation);
        }
        (training, test)
    }
}

/// Mean and standard deviation; 1 instead of 0.
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
    (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 })
}
