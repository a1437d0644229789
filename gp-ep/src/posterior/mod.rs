//! Predictions of fitted models, by any method.
//!
//! A [`Posterior`] is over all latent functions. With a likelihood it is a [`Predictor`], whose [`Predicted`]
//! gives moments, quantiles, class probabilities and log densities.

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

/// Approximate posterior over all latent functions of a model.
pub trait Posterior: Debug + Send + Sync {
    /// Number Q of latent functions.
    fn latent_count(&self) -> usize;

    /// Description of one latent function.
    ///
    /// # Panics
    /// If there is no such function.
    fn describe(&self, latent: usize) -> LatentFunction<'_>;

    /// Mixture proportions of the components; `[1.0]` unless a mixture.
    fn weights(&self) -> &[f64] {
        &[1.0]
    }

    /// Beliefs about the latent values of the rows of `x` (N×D).
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for points that are not finite or do not suit a kernel.
    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError>;

    /// Means and joint covariance (N×N) of one latent function at the rows of `x`.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs); an error if there is no such function.
    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError>;

    /// `count` joint samples of all latent functions at the rows of `x`: N×`count` per latent function, one
    /// sample per column. The same seed gives the same samples.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs); also a covariance that cannot be factored.
    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError>;

    /// Contribution of each kernel [term](gp_kernels::posterior::terms()) to the mean of one latent function
    /// at the rows of `x`: N×T, or one column if terms cannot be separated.
    ///
    /// # Errors
    /// As [`joint`](Self::joint).
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

    /// Means and variances of each kernel [term](gp_kernels::posterior::terms()) of one latent function at
    /// the rows of `x`; one entry if terms cannot be separated. The means add up to the function's. The
    /// variances do not, since terms are correlated given data.
    ///
    /// # Errors
    /// As [`joint`](Self::joint).
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

    /// Probabilities of all classes (N×C) under beliefs that are [correlated](LatentBeliefs::are_correlated)
    /// within a point, which likelihoods cannot integrate. None for independent latent values.
    ///
    /// # Errors
    /// Those of the likelihood.
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

    /// Description from the first component; all components share kernel and inducing inputs.
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

/// Type with a posterior inside, of a method chosen at run time. It implements [`Posterior`] through it.
pub trait WrapsPosterior: Debug + Send + Sync {
    /// The posterior inside.
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
