//! Predictors from states of EP.

use super::batch::BatchEp;
use super::minibatch::MiniBatchEp;
use super::model::PowerEp;
use crate::error::InferenceError;
use crate::posterior::Predictor;
use gp_kernels::posterior::{InducingPosterior, MixturePosterior};

impl BatchEp {
    /// Predictor of the current parameters and sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for a `K_zz` that cannot be factored.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, InferenceError> {
        predictor(model, |latent| self.posterior(model, latent))
    }
}

impl MiniBatchEp {
    /// Predictor of the current parameters and sites.
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for a `K_zz` that cannot be factored.
    pub fn predictor(&self, model: &PowerEp) -> Result<Predictor, InferenceError> {
        predictor(model, |latent| self.posterior(model, latent))
    }
}

fn predictor(
    model: &PowerEp,
    posterior: impl Fn(usize) -> Result<InducingPosterior, InferenceError>,
) -> Result<Predictor, InferenceError> {
    let parts = (0..model.likelihood().latents()).map(posterior).collect::<Result<_, _>>()?;
    let functions = MixturePosterior::single(parts);
    Predictor::new(functions, model.likelihood().clone_box(), model.threading())
}
