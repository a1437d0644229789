//! Offsets and weights, one target.

use crate::error::CliError;
use crate::method::TrainingRows;
use gp_ep::DataSource as _;

/// Columns after the target; offset includes log exposure.
const OFFSET: usize = 1;
const WEIGHT: usize = 2;

/// Offsets, if any; weights, default 1.
pub(crate) struct WeightedRows {
    pub(super) offsets: Vec<f64>,
    weights: Vec<f64>,
    total: f64,
}

impl WeightedRows {
    pub(super) fn of(rows: &TrainingRows) -> Result<Self, CliError> {
        let column = |place: usize| if place < rows.outputs() { rows.column(place) } else { Ok(Vec::new()) };
        let (offsets, mut weights) = (column(OFFSET)?, column(WEIGHT)?);
        weights.resize(rows.count(), 1.0);
        Ok(Self::new(offsets, weights))
    }

    pub(crate) fn new(offsets: Vec<f64>, weights: Vec<f64>) -> Self {
        let total = weights.iter().sum();
        Self { offsets, weights, total }
    }

    pub(crate) fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.weights.iter().enumerate().map(|(row, weight)| weight * of(row)).sum::<f64>() / self.total
    }

    /// Effective number of equally weighted rows.
    pub(super) fn count(&self) -> f64 {
        self.total.powi(2) / self.weights.iter().map(|weight| weight * weight).sum::<f64>()
    }
}
