//! Predictors from states of EP.

use super::batch::BatchEp;
use super::minibatch::MiniBatchEp;
use super::model::PowerEp;
use crate::error::InferenceError;
use crate::posterior::Predictor;

impl BatchEp {
    /// Predictor of the current parameters and sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for a `K_zz` that cannot be factored.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, InferenceError> {
        model.predictor_of(&self.posteriors)
    }
}

impl MiniBatchEp {
    /// Predictor of the current parameters and sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for a `K_zz` that cannot be factored.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, InferenceError> {
        model.predictor_of(&self.posteriors)
    }
}
