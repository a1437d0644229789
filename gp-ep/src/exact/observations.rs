//! Checked observations of exact regression.

use crate::error::{InferenceError, check_count};
use faer::MatRef;
use gp_kernels::data::{DataError, DataSource, Rows, Table};

/// N inputs, targets, optional noise and weights.
#[derive(Clone, Copy, Debug)]
pub struct Observations<'a> {
    inputs: MatRef<'a, f64>,
    targets: &'a [f64],
    known_noise: Option<&'a [f64]>,
    weights: Option<&'a [f64]>,
}

impl<'a> Observations<'a> {
    /// Targets at `inputs` (N×D, any strides). The kernel checks inputs later.
    ///
    /// # Errors
    /// [`InferenceError::Data`] for N = 0, [`InferenceError::Shape`], [`InferenceError::TargetNotFinite`].
    pub fn new(inputs: MatRef<'a, f64>, targets: &'a [f64]) -> Result<Self, InferenceError> {
        check_count("target vector", "entries", inputs.nrows(), targets.len())?;
        if targets.is_empty() {
            return Err(DataError::NoData.into());
        }
        match targets.iter().enumerate().find(|(_, target)| !target.is_finite()) {
            Some((row, &value)) => Err(InferenceError::TargetNotFinite { row, value }),
            None => Ok(Self { inputs, targets, known_noise: None, weights: None }),
        }
    }

    /// Sets N noise variances, added to the trained one.
    ///
    /// # Errors
    /// [`InferenceError::Shape`], [`InferenceError::KnownNoise`].
    pub fn with_known_noise(self, variances: &'a [f64]) -> Result<Self, InferenceError> {
        check_count("known noise", "entries", self.len(), variances.len())?;
        let sound = |variance: f64| variance.is_finite() && variance >= 0.0;
        match variances.iter().enumerate().find(|(_, variance)| !sound(**variance)) {
            Some((row, &value)) => Err(InferenceError::KnownNoise { row, value }),
            None => Ok(Self { known_noise: Some(variances), ..self }),
        }
    }

    /// Sets N weights, powers of the densities.
    ///
    /// # Errors
    /// [`InferenceError::Shape`], [`InferenceError::Weight`].
    pub fn with_weights(self, weights: &'a [f64]) -> Result<Self, InferenceError> {
        check_count("weights", "entries", self.len(), weights.len())?;
        let sound = |weight: f64| weight.is_finite() && weight > 0.0;
        match weights.iter().enumerate().find(|(_, weight)| !sound(**weight)) {
            Some((row, &value)) => Err(InferenceError::Weight { row, value }),
            None => Ok(Self { weights: Some(weights), ..self }),
        }
    }

    /// Inputs, N×D.
    #[must_use]
    pub fn inputs(&self) -> MatRef<'a, f64> {
        self.inputs
    }

    /// N targets.
    #[must_use]
    pub fn targets(&self) -> &'a [f64] {
        self.targets
    }

    /// Variance of a row; default 0.
    #[must_use]
    pub fn known_noise(&self, row: usize) -> f64 {
        self.known_noise.and_then(|known| known.get(row)).copied().unwrap_or(0.0)
    }

    /// Weight of a row; default 1.
    #[must_use]
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.and_then(|weights| weights.get(row)).copied().unwrap_or(1.0)
    }

    /// Number N ≥ 1 of observations.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always an observation")]
    pub fn len(&self) -> usize {
        self.targets.len()
    }
}

/// Columns: target, known noise (if either set), weight (if set).
impl DataSource for Observations<'_> {
    fn count(&self) -> usize {
        self.len()
    }

    fn dim(&self) -> usize {
        self.inputs.ncols()
    }

    fn outputs(&self) -> usize {
        match (self.known_noise, self.weights) {
            (_, Some(_)) => 3,
            (Some(_), None) => 2,
            (None, None) => 1,
        }
    }

    fn read(&self, rows: &Rows<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        let (columns, no_targets) = (self.outputs(), MatRef::from_column_major_slice(&[], self.len(), 0));
        Table::new(self.inputs, no_targets)?.read(rows, points, &mut [])?;
        for (place, out) in targets.chunks_exact_mut(columns).enumerate() {
            let row = rows.at(place);
            out.copy_from_slice(&[self.targets[row], self.known_noise(row), self.weight(row)][..columns]);
        }
        Ok(())
    }
}
