//! Predictors from states of EP.

use super::batch::BatchEp;
use super::minibatch::MiniBatchEp;
use super::model::PowerEp;
use crate::error::InferenceError;
use crate::posterior::Predictor;

impl BatchEp {
    /// Predictor from `model` and current sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] without factor of `K_zz`.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, InferenceError> {
        model.predictor_of(&self.posteriors)
    }
}

impl MiniBatchEp {
    /// Predictor from `model` and current sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] without factor of `K_zz`.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, InferenceError> {
        model.predictor_of(&self.posteriors)
    }
}
