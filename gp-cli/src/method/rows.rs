//! Rows of a fit.

mod of_target;

pub(super) use of_target::columns_of_target;

use crate::error::{CliError, ErrorKind};
use faer::{Mat, MatRef};
use gp_kernels::data::{DataError, DataSource, Rows as Selection, Table};
use gp_optim::Team;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;

/// N points, P observation columns (targets, roles), model units. Clones share rows.
#[derive(Clone, Debug)]
pub struct TrainingRows(Arc<RowStorage>);

#[derive(Debug)]
enum RowStorage {
    Memory { points: Mat<f64>, observed: Vec<f64>, outputs: usize },
    Elsewhere(Box<dyn Elsewhere>),
}

/// Source of rows outside memory.
pub trait Elsewhere: DataSource + Send {}

impl<T: DataSource + Send> Elsewhere for T {}

impl TrainingRows {
    /// N points, and N×P observation values, row-major.
    #[must_use]
    pub fn in_memory(points: Mat<f64>, observed: Vec<f64>) -> Self {
        let outputs = observed.len().checked_div(points.nrows()).unwrap_or(1).max(1);
        Self(Arc::new(RowStorage::Memory { points, observed, outputs }))
    }

    /// Rows read as needed.
    #[must_use]
    pub fn elsewhere(source: impl Elsewhere + 'static) -> Self {
        Self(Arc::new(RowStorage::Elsewhere(Box::new(source))))
    }

    /// `true` if all rows are in memory.
    #[must_use]
    pub fn are_in_memory(&self) -> bool {
        matches!(*self.0, RowStorage::Memory { .. })
    }

    /// Points (N×D), observations (N×P, row-major).
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage) if not in memory.
    pub fn whole(&self) -> Result<(MatRef<'_, f64>, &[f64]), CliError> {
        match &*self.0 {
            RowStorage::Memory { points, observed, .. } => Ok((points.as_ref(), observed)),
            RowStorage::Elsewhere(_) => {
                Err(CliError::new(ErrorKind::Usage, "the method needs all rows in memory".to_owned()))
            }
        }
    }

    /// Subset in memory. If a team spreads the rows, all its processes must call this.
    ///
    /// # Errors
    /// [`Numerical`](ErrorKind::Numerical) for unreadable rows.
    pub fn some(&self, rows: &[usize]) -> Result<Self, CliError> {
        let (dim, outputs) = (self.dim(), self.outputs());
        let (mut points, mut observed) = (vec![0.0; rows.len() * dim], vec![0.0; rows.len() * outputs]);
        let rows = Selection::List(rows);
        self.fetch(&rows)?;
        self.read(&rows, &mut points, &mut observed)?;
        let points = MatRef::from_row_major_slice(&points, rows.len(), dim).to_owned();
        Ok(Self(Arc::new(RowStorage::Memory { points, observed, outputs })))
    }

    /// All rows, readable in each process.
    pub(crate) fn in_each_process(self) -> Result<Self, CliError> {
        if self.held().is_none() { Ok(self) } else { self.some(&(0..self.count()).collect::<Vec<_>>()) }
    }

    /// Rows with target `target` of `targets`: its column and, given roles, adjustment and weight.
    ///
    /// # Errors
    /// [`Numerical`](ErrorKind::Numerical) for unreadable rows; [`Data`](ErrorKind::Data) if no row has it.
    pub fn of_target(&self, target: usize, targets: usize) -> Result<Self, CliError> {
        of_target::of_target(self, target, targets)
    }

    /// Indices of rows with target `target` of `targets`.
    ///
    /// # Errors
    /// As [`of_target`](Self::of_target).
    pub fn present(&self, target: usize, targets: usize) -> Result<Vec<usize>, CliError> {
        of_target::present(self, target, targets)
    }

    /// Observation column, from 0.
    ///
    /// # Errors
    /// As [`whole`](Self::whole).
    pub fn column(&self, column: usize) -> Result<Vec<f64>, CliError> {
        let outputs = self.outputs();
        Ok(self.whole()?.1.chunks_exact(outputs).filter_map(|row| row.get(column)).copied().collect())
    }
}

impl DataSource for TrainingRows {
    fn count(&self) -> usize {
        match &*self.0 {
            RowStorage::Memory { points, .. } => points.nrows(),
            RowStorage::Elsewhere(rows) => rows.count(),
        }
    }

    fn dim(&self) -> usize {
        match &*self.0 {
            RowStorage::Memory { points, .. } => points.ncols(),
            RowStorage::Elsewhere(rows) => rows.dim(),
        }
    }

    fn outputs(&self) -> usize {
        match &*self.0 {
            RowStorage::Memory { outputs, .. } => *outputs,
            RowStorage::Elsewhere(rows) => rows.outputs(),
        }
    }

    fn read(&self, rows: &Selection<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        match &*self.0 {
            RowStorage::Memory { points: all, observed, outputs } => {
                let known = MatRef::from_row_major_slice(observed, observed.len() / outputs, *outputs);
                Table::new(all.as_ref(), known)?.read(rows, points, targets)
            }
            RowStorage::Elsewhere(source) => source.read(rows, points, targets),
        }
    }

    fn held(&self) -> Option<(&Team, Range<usize>)> {
        match &*self.0 {
            RowStorage::Memory { .. } => None,
            RowStorage::Elsewhere(source) => source.held(),
        }
    }

    fn fetch_lanes(&self, lanes: &[Selection<'_>]) -> Result<(), DataError> {
        match &*self.0 {
            RowStorage::Memory { .. } => Ok(()),
            RowStorage::Elsewhere(source) => source.fetch_lanes(lanes),
        }
    }

    fn fetch(&self, rows: &Selection<'_>) -> Result<(), DataError> {
        match &*self.0 {
            RowStorage::Memory { .. } => Ok(()),
            RowStorage::Elsewhere(source) => source.fetch(rows),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_several_columns_of_observation() {
        let observed = (0..12).map(f64::from).collect();
        let rows = TrainingRows::in_memory(Mat::from_fn(4, 2, |i, d| (10 * i + d) as f64), observed);
        assert_eq!((rows.count(), rows.dim(), rows.outputs()), (4, 2, 3));
        assert_eq!(rows.column(1).unwrap(), [1.0, 4.0, 7.0, 10.0]);
        let some = rows.some(&[3, 1]).unwrap();
        assert_eq!(some.whole().unwrap().1, [9.0, 10.0, 11.0, 3.0, 4.0, 5.0]);
        assert_eq!(some.whole().unwrap().0[(1, 1)], 11.0);
        assert_eq!(rows.some(&[]).unwrap().outputs(), 3);
    }
}
