//! Observations, splits and standardisation.

use super::Task;
use faer::Mat;

/// N observations, D inputs, P targets.
#[derive(Clone, Debug)]
pub struct Part {
    /// Inputs, N×D.
    pub inputs: Mat<f64>,
    /// N×P: numbers, −1 and 1, or classes from 0.
    pub targets: Mat<f64>,
}

impl Part {
    /// Number N of observations.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inputs.nrows()
    }

    /// `true` if there are no observations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Input dimension D.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.inputs.ncols()
    }

    /// First target of every row.
    #[must_use]
    pub fn labels(&self) -> Vec<f64> {
        self.targets.col(0).iter().copied().collect()
    }

    /// Copy of the selected observations.
    #[must_use]
    pub fn rows(&self, rows: &[usize]) -> Self {
        let pick = |table: &Mat<f64>| Mat::from_fn(rows.len(), table.ncols(), |i, d| table[(rows[i], d)]);
        Self { inputs: pick(&self.inputs), targets: pick(&self.targets) }
    }
}

/// Training and test set.
#[derive(Clone, Debug)]
pub struct Split {
    /// Rows to learn from.
    pub training: Part,
    /// Rows to score on.
    pub test: Part,
    /// File units per standardised unit, by target.
    pub units: Vec<f64>,
    /// Kind of the target.
    pub task: Task,
}

impl Split {
    /// Σ ln `units`, added to negative log densities for file units.
    #[must_use]
    pub fn log_units(&self) -> f64 {
        self.units.iter().map(|unit| unit.ln()).sum()
    }
}

/// Column means and standard deviations.
#[derive(Clone, Debug)]
pub struct Scales(Vec<(f64, f64)>);

impl Scales {
    /// Computes column scales; 1 for constant columns.
    #[must_use]
    pub fn of(table: &Mat<f64>) -> Self {
        let count = table.nrows() as f64;
        let column = |d: usize| {
            let mean = table.col(d).iter().sum::<f64>() / count;
            let variance = table.col(d).iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
            (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 })
        };
        Self((0..table.ncols()).map(column).collect())
    }

    /// Standardises a table.
    pub fn apply(&self, table: &mut Mat<f64>) {
        for (d, (mean, deviation)) in self.0.iter().enumerate() {
            table.col_mut(d).iter_mut().for_each(|x| *x = (*x - mean) / deviation);
        }
    }

    /// Standard deviations of the columns.
    #[must_use]
    pub fn deviations(&self) -> Vec<f64> {
        self.0.iter().map(|(_, deviation)| *deviation).collect()
    }
}

pub(super) fn in_units(mut training: Part, mut test: Part, task: Task) -> Split {
    let scales = Scales::of(&training.inputs);
    scales.apply(&mut training.inputs);
    scales.apply(&mut test.inputs);
    let mut units = vec![1.0; training.targets.ncols()];
    if task == Task::Number {
        let scales = Scales::of(&training.targets);
        scales.apply(&mut training.targets);
        scales.apply(&mut test.targets);
        units = scales.deviations();
    }
    Split { training, test, units, task }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_to_mean_zero_and_variance_one_and_constant_ones_to_zero() {
        let mut table = Mat::from_fn(5, 2, |i, d| if d == 0 { 3.0 * i as f64 } else { 7.0 });
        let scales = Scales::of(&table);
        scales.apply(&mut table);
        assert!(table.col(0).iter().sum::<f64>().abs() < 1e-14);
        assert!((table.col(0).iter().map(|x| x * x).sum::<f64>() / 5.0 - 1.0).abs() < 1e-14);
        assert!(table.col(1).iter().all(|x| *x == 0.0));
        assert_eq!(scales.deviations()[1], 1.0);
    }
}
