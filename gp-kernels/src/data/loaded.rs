//! All rows of a source.

use super::error::{DataError, check_count};
use super::source::{DataSource, Rows};
use faer::MatRef;

/// All rows, in reused memory.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    points: Vec<f64>,
    targets: Vec<f64>,
    count: usize,
    dim: usize,
}

impl Loaded {
    /// Reads all rows.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn of(data: &dyn DataSource, outputs: usize) -> Result<Self, DataError> {
        let mut loaded = Self::default();
        loaded.load(data, outputs)?;
        Ok(loaded)
    }

    /// Reads all rows, P = `outputs`.
    ///
    /// # Errors
    /// [`DataError::NoData`]; [`DataError::Shape`] for another P; read errors.
    pub fn load(&mut self, data: &dyn DataSource, outputs: usize) -> Result<(), DataError> {
        let (count, dim) = (data.count(), data.dim());
        if count == 0 {
            return Err(DataError::NoData);
        }
        check_count("targets", "columns", outputs, data.outputs())?;
        self.points.resize(count * dim, 0.0);
        self.targets.resize(count * outputs, 0.0);
        (self.count, self.dim) = (count, dim);
        data.read(&Rows::Range(0..count), &mut self.points, &mut self.targets)
    }

    /// Number N of rows.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Points, N×D.
    #[must_use]
    pub fn inputs(&self) -> MatRef<'_, f64> {
        MatRef::from_row_major_slice(&self.points, self.count, self.dim)
    }

    /// Targets, row by row.
    #[must_use]
    pub fn targets(&self) -> &[f64] {
        &self.targets
    }
}
