//! Seed 004's data sets with the partitions given for them: training and test sets in the units of the training set.

use super::{data, partitions};
use faer::Mat;

/// Observations: N×D and N×P.
pub(crate) struct Observations {
    pub(crate) inputs: Mat<f64>,
    pub(crate) targets: Mat<f64>,
}

/// One partition.
pub(crate) struct Split {
    pub(crate) training: Observations,
    pub(crate) test: Observations,
    /// Standard deviations of the training targets, which are units of both.
    pub(crate) units: Vec<f64>,
}

/// What observations are.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Real,
    Labels,
}

/// The first partitions of a table whose last columns are targets.
pub(crate) fn splits(
    table: &str,
    partition: &str,
    outputs: usize,
    kind: Kind,
    most: usize,
) -> Option<Vec<Split>> {
    let rows = data::rows(table)?;
    let all = partitions::both_sets(partition)?;
    Some(all.iter().take(most).map(|(training, test)| split(&rows, training, test, outputs, kind)).collect())
}

/// Rows 0, 5, 10, … are the test set.
pub(crate) fn every_fifth(table: &str, dim: usize, columns: &[usize]) -> Option<Split> {
    let keep = |row: &Vec<f64>| -> Vec<f64> {
        row[..dim].iter().copied().chain(columns.iter().map(|&column| row[column])).collect()
    };
    let rows: Vec<Vec<f64>> = data::rows(table)?.iter().map(keep).collect();
    let (test, training): (Vec<usize>, Vec<usize>) = (0..rows.len()).partition(|row| row % 5 == 0);
    Some(split(&rows, &training, &test, columns.len(), Kind::Real))
}

fn split(rows: &[Vec<f64>], training: &[usize], test: &[usize], outputs: usize, kind: Kind) -> Split {
    let dim = rows[0].len() - outputs;
    let part = |chosen: &[usize]| Observations {
        inputs: Mat::from_fn(chosen.len(), dim, |i, d| rows[chosen[i]][d]),
        targets: Mat::from_fn(chosen.len(), outputs, |i, p| rows[chosen[i]][dim + p]),
    };
    let (mut training, mut test) = (part(training), part(test));
    standardise(&mut training.inputs, &mut test.inputs);
    let units = match kind {
        Kind::Real => standardise(&mut training.targets, &mut test.targets),
        Kind::Labels => vec![1.0; outputs],
    };
    Split { training, test, units }
}

/// Means 0 and variances 1 in the first table, the same shifts and scales in the second; the scales.
fn standardise(first: &mut Mat<f64>, second: &mut Mat<f64>) -> Vec<f64> {
    let column = |d: usize| {
        let count = first.nrows() as f64;
        let mean = first.col(d).iter().sum::<f64>() / count;
        let variance = first.col(d).iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 })
    };
    let moments: Vec<(f64, f64)> = (0..first.ncols()).map(column).collect();
    for table in [first, second] {
        for (d, (mean, deviation)) in moments.iter().enumerate() {
            table.col_mut(d).iter_mut().for_each(|x| *x = (*x - mean) / deviation);
        }
    }
    moments.into_iter().map(|(_, deviation)| deviation).collect()
}

/// A table without a test set: its first columns are inputs, in units of their spread.
pub(crate) fn whole(table: &str, inputs: &[usize], targets: &[usize]) -> Option<Observations> {
    let rows = data::rows(table)?;
    let pick = |columns: &[usize]| Mat::from_fn(rows.len(), columns.len(), |i, d| rows[i][columns[d]]);
    let (mut inputs, mut none) = (pick(inputs), Mat::zeros(0, inputs.len()));
    standardise(&mut inputs, &mut none);
    Some(Observations { inputs, targets: pick(targets) })
}
