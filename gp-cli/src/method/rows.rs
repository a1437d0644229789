//! The rows of a fit, wherever they are.

use crate::error::{CliError, ErrorKind};
use faer::{Mat, MatRef};
use gp_kernels::data::{DataError, DataSource, Rows as Selection, Table};
use std::fmt::Debug;
use std::sync::Arc;

/// N points and an observation each, in the units of the model: in memory, or read as they are needed. Copies share them.
#[derive(Clone, Debug)]
pub struct Rows(Arc<Place>);

#[derive(Debug)]
enum Place {
    Memory { points: Mat<f64>, targets: Vec<f64> },
    Elsewhere(Box<dyn Elsewhere>),
}

/// Rows that are not in memory.
pub trait Elsewhere: DataSource + Send {}

impl<T: DataSource + Send> Elsewhere for T {}

impl Rows {
    /// Rows in memory: points, a row each, and as many observations.
    #[must_use]
    pub fn in_memory(points: Mat<f64>, targets: Vec<f64>) -> Self {
        Self(Arc::new(Place::Memory { points, targets }))
    }

    /// Rows that are read as they are needed.
    #[must_use]
    pub fn elsewhere(source: impl Elsewhere + 'static) -> Self {
        Self(Arc::new(Place::Elsewhere(Box::new(source))))
    }

    /// Whether all of them are in memory.
    #[must_use]
    pub fn are_in_memory(&self) -> bool {
        matches!(*self.0, Place::Memory { .. })
    }

    /// Points (N×D) and observations, for methods that work on all of them at once.
    ///
    /// # Errors
    /// Of kind [`Usage`](ErrorKind::Usage) where they are not in memory.
    pub fn whole(&self) -> Result<(MatRef<'_, f64>, &[f64]), CliError> {
        match &*self.0 {
            Place::Memory { points, targets } => Ok((points.as_ref(), targets)),
            Place::Elsewhere(_) => {
                Err(CliError::new(ErrorKind::Usage, "the method needs all rows in memory".to_owned()))
            }
        }
    }

    /// These of the rows, in memory.
    ///
    /// # Errors
    /// Of kind [`Numerical`](ErrorKind::Numerical) for rows that cannot be read.
    pub fn some(&self, rows: &[usize]) -> Result<Self, CliError> {
        let dim = self.dim();
        let (mut points, mut targets) = (vec![0.0; rows.len() * dim], vec![0.0; rows.len()]);
        self.read(&Selection::List(rows), &mut points, &mut targets)?;
        let points = MatRef::from_row_major_slice(&points, rows.len(), dim).to_owned();
        Ok(Self::in_memory(points, targets))
    }
}

impl DataSource for Rows {
    fn count(&self) -> usize {
        match &*self.0 {
            Place::Memory { targets, .. } => targets.len(),
            Place::Elsewhere(rows) => rows.count(),
        }
    }

    fn dim(&self) -> usize {
        match &*self.0 {
            Place::Memory { points, .. } => points.ncols(),
            Place::Elsewhere(rows) => rows.dim(),
        }
    }

    fn outputs(&self) -> usize {
        1
    }

    fn read(&self, rows: &Selection<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        match &*self.0 {
            Place::Memory { points: all, targets: known } => {
                Table::with_targets(all.as_ref(), known)?.read(rows, points, targets)
            }
            Place::Elsewhere(source) => source.read(rows, points, targets),
        }
    }
}
