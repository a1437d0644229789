//! Posterior over all latents, of any kind that a model file can hold.

use super::held::Held;
use crate::error::CliError;
use faer::{Mat, MatRef};
use gp_ep::{InferenceError, Posterior, Predictor};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{LatentBeliefs, LatentFunction, LatentPrediction, MixturePosterior};
use serde_json::Value;

/// First version of the format with posteriors of other crates.
const OPEN: u32 = 6;

/// Posteriors of the latents and the likelihood, in model units.
pub type Approximation = Predictor<Functions>;

/// A posterior that a model file can hold. Its reader is a [`PosteriorEntry`](super::PosteriorEntry) of the same name.
pub trait Storable: Posterior {
    /// Name in model files.
    fn name(&self) -> &'static str;

    /// Stored form, without [weights](Posterior::weights). Kernels and likelihoods are expressions under the keys `kernel`
    /// and `likelihood`, so that a program without them names what it lacks.
    ///
    /// # Errors
    /// [`Model`](crate::ErrorKind::Model) for what cannot be written.
    fn to_stored(&self) -> Result<Value, CliError>;

    /// A copy.
    fn clone_box(&self) -> Box<dyn Storable>;

    /// The same as independent posteriors of latents, or a mixture of these, if it is one.
    fn mixture(&self) -> Option<&MixturePosterior<Held>> {
        None
    }

    /// Posterior of one latent that is known apart from the others, if it is.
    fn of_latent(&self, latent: usize) -> Option<Functions> {
        (self.latent_count() == 1 && latent == 0).then(|| Functions(self.clone_box()))
    }

    /// Oldest version of the format that can hold it; posteriors of other crates leave it as it is.
    fn format_version(&self) -> u32 {
        OPEN
    }
}

/// Posterior over all latents.
#[derive(Debug)]
pub struct Functions(Box<dyn Storable>);

impl Clone for Functions {
    fn clone(&self) -> Self {
        Self(self.0.clone_box())
    }
}

impl Posterior for Functions {
    fn latent_count(&self) -> usize {
        self.0.latent_count()
    }

    fn describe(&self, latent: usize) -> LatentFunction<'_> {
        self.0.describe(latent)
    }

    fn weights(&self) -> &[f64] {
        self.0.weights()
    }

    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError> {
        self.0.beliefs(x, by)
    }

    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        self.0.joint(latent, x, by)
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        self.0.sample(x, count, seed, by)
    }

    fn term_means(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, InferenceError> {
        self.0.term_means(latent, x, by)
    }

    fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        self.0.predict_terms(latent, x, by)
    }

    fn class_probabilities(
        &self,
        beliefs: &LatentBeliefs,
        by: &Evaluator,
    ) -> Result<Option<Mat<f64>>, InferenceError> {
        self.0.class_probabilities(beliefs, by)
    }
}

impl Functions {
    /// Any posterior that a model file can hold.
    pub fn new(posterior: impl Storable + 'static) -> Self {
        Self(Box::new(posterior))
    }

    /// Posterior as a model file can hold it.
    #[must_use]
    pub fn stored(&self) -> &dyn Storable {
        self.0.as_ref()
    }

    /// Independent posteriors, or a mixture of these; None for other kinds.
    #[must_use]
    pub fn mixture(&self) -> Option<&MixturePosterior<Held>> {
        self.0.mixture()
    }

    /// Posteriors by component, one per latent; empty unless latents are independent.
    #[must_use]
    pub fn parts(&self) -> &[Held] {
        self.mixture().map_or(&[], MixturePosterior::parts)
    }
}
