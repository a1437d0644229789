//! Predictions of fitted models. [`Posterior`] and likelihood form a [`Predictor`]; [`Predicted`] gives moments,
//! quantiles, class probabilities, log densities.

mod labels;
mod predicted;
mod predictor;
mod shares;
mod temperature;

pub use predicted::Predicted;
pub use predictor::Predictor;
pub use shares::{InputShare, Recombined, ShareOptions, Spanned, VarianceShares};
pub use temperature::Temperature;

use crate::error::{InferenceError, check_count};
use faer::{Mat, MatRef};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{
    LatentBeliefs, LatentFunction, LatentPosterior, LatentPrediction, MixturePosterior,
};
use std::fmt::Debug;

/// Posterior over latent functions; points `x` are N×D.
///
/// Errors are [`InferenceError::Kernel`] for unsuitable points, and those of unknown latents and of the likelihood.
pub trait Posterior: Debug + Send + Sync {
    /// Number Q of latent functions.
    fn latent_count(&self) -> usize;

    /// Description of one latent.
    ///
    /// # Panics
    /// For an unknown latent.
    fn describe(&self, latent: usize) -> LatentFunction<'_>;

    /// Mixture proportions; `[1.0]` without mixture.
    fn weights(&self) -> &[f64] {
        &[1.0]
    }

    /// Beliefs about latent values.
    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError>;

    /// Means and joint covariance (N×N) of one latent.
    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError>;

    /// Joint samples: N×`count` per latent, reproducible by seed; an error without Cholesky factor of the covariance.
    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError>;

    /// Means of kernel [terms](gp_kernels::posterior::terms()) of one latent: N×T, or N×1 if inseparable.
    fn term_means(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, InferenceError> {
        let functions = self.beliefs(x, by)?.into_functions();
        check_count("posterior", "latent functions", functions.len().max(latent + 1), functions.len())?;
        Ok(Mat::from_fn(x.nrows(), 1, |i, _| functions[latent].mean[i]))
    }

    /// Means and variances of kernel [terms](gp_kernels::posterior::terms()) of one latent; one entry if inseparable.
    /// Only means add up.
    fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        let mut functions = self.beliefs(x, by)?.into_functions();
        check_count("posterior", "latent functions", functions.len().max(latent + 1), functions.len())?;
        Ok(vec![functions.swap_remove(latent)])
    }

    /// Class probabilities (N×C) under [correlated](LatentBeliefs::are_correlated) beliefs; None for independent
    /// latents.
    fn class_probabilities(
        &self,
        beliefs: &LatentBeliefs,
        by: &Evaluator,
    ) -> Result<Option<Mat<f64>>, InferenceError> {
        let _ = (beliefs, by);
        Ok(None)
    }
}

impl<P: LatentPosterior> Posterior for MixturePosterior<P> {
    fn latent_count(&self) -> usize {
        self.latent_count()
    }

    /// Description of the first component: all share kernel and inputs.
    fn describe(&self, latent: usize) -> LatentFunction<'_> {
        self.parts()[latent].describe()
    }

    fn weights(&self) -> &[f64] {
        self.weights()
    }

    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError> {
        Ok(self.beliefs(x, by)?)
    }

    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        Ok(self.joint(latent, x, by)?)
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        Ok(self.sample(x, count, seed, by)?)
    }

    fn term_means(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, InferenceError> {
        Ok(self.term_means(latent, x, by)?)
    }

    fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        Ok(self.predict_terms(latent, x, by)?)
    }
}

/// Wrapper of a [`Posterior`] chosen at run time.
pub trait WrapsPosterior: Debug + Send + Sync {
    /// Inner posterior.
    fn inner(&self) -> &dyn Posterior;
}

impl WrapsPosterior for Box<dyn Posterior> {
    fn inner(&self) -> &dyn Posterior {
        self.as_ref()
    }
}

impl<H: WrapsPosterior> Posterior for H {
    fn latent_count(&self) -> usize {
        self.inner().latent_count()
    }

    fn describe(&self, latent: usize) -> LatentFunction<'_> {
        self.inner().describe(latent)
    }

    fn weights(&self) -> &[f64] {
        self.inner().weights()
    }

    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError> {
        self.inner().beliefs(x, by)
    }

    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        self.inner().joint(latent, x, by)
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        self.inner().sample(x, count, seed, by)
    }

    fn term_means(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, InferenceError> {
        self.inner().term_means(latent, x, by)
    }

    fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        self.inner().predict_terms(latent, x, by)
    }

    fn class_probabilities(
        &self,
        beliefs: &LatentBeliefs,
        by: &Evaluator,
    ) -> Result<Option<Mat<f64>>, InferenceError> {
        self.inner().class_probabilities(beliefs, by)
    }
}
