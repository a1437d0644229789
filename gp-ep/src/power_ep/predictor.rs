//! Predictors from states of EP.

use super::batch::BatchEp;
use super::minibatch::MiniBatchEp;
use super::model::PowerEp;
use crate::error::InferenceError;
use crate::posterior::Predictor;

impl BatchEp {
    /// Predictor at the current parameters and sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] if `K_zz` has no factor.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, InferenceError> {
        model.predictor_of(&self.posteriors)
    }
}

impl MiniBatchEp {
    /// Predictor at the current parameters and sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] if `K_zz` has no factor.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, InferenceError> {
        model.predictor_of(&self.posteriors)
    }
}
