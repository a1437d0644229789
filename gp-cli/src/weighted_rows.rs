//! Offsets and weights, one target.

/// Offsets, if any; weights, default 1.
pub(crate) struct WeightedRows {
    pub(crate) offsets: Vec<f64>,
    weights: Vec<f64>,
    total: f64,
}

impl WeightedRows {
    pub(crate) fn new(offsets: Vec<f64>, weights: Vec<f64>) -> Self {
        let total = weights.iter().sum();
        Self { offsets, weights, total }
    }

    pub(crate) fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.weights.iter().enumerate().map(|(row, weight)| weight * of(row)).sum::<f64>() / self.total
    }

    /// Effective number of equally weighted rows.
    pub(crate) fn count(&self) -> f64 {
        self.total.powi(2) / self.weights.iter().map(|weight| weight * weight).sum::<f64>()
    }
}
