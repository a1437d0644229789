//! What is left of a model for predictions, by whichever method it was fitted.
//!
//! A [`Posterior`] knows all latent functions. With a likelihood it is a [`Predictor`], whose answers about some points are
//! [`Predicted`]: moments, quantiles, probabilities of classes, log densities.

mod labels;
mod predicted;
mod predictor;
mod shares;

pub use predicted::Predicted;
pub use predictor::Predictor;
pub use shares::{InputShare, ShareOptions, Spanned, VarianceShares};

use crate::error::{InferenceError, check_count};
use faer::{Mat, MatRef};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{
    LatentBeliefs, LatentFunction, LatentPosterior, LatentPrediction, MixturePosterior,
};
use std::fmt::Debug;

/// The approximate posterior over all latent functions of a model.
pub trait Posterior: Debug + Send + Sync {
    /// Q
    fn latent_count(&self) -> usize;

    /// What there is to say of one latent function.
    ///
    /// # Panics
    /// Where there is no such function.
    fn describe(&self, latent: usize) -> LatentFunction<'_>;

    /// The proportions of the components, one unless the posterior is a mixture.
    fn weights(&self) -> &[f64] {
        &[1.0]
    }

    /// LatentBeliefs about the latent values of the rows of `x` (N×D).
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for points that do not suit a kernel or are not finite.
    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError>;

    /// Means of one latent function at the rows of `x`, and their joint covariance (N×N).
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs); an error where there is no such function.
    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError>;

    /// `count` joint samples of all latent functions at the rows of `x`, the same for the same seed: for each latent
    /// function N×`count`, one sample per column.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs), and when a covariance cannot be factored.
    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError>;

    /// What each [term](gp_kernels::posterior::terms()) of the kernel of one latent function adds to its mean at the rows of
    /// `x`: N×T. One column, the mean, where terms cannot be told apart.
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

    /// Means and variances of the function that each [term](gp_kernels::posterior::terms()) of the kernel of one latent
    /// function stands for, at the rows of `x`. The means add up to that of the latent function; the variances do not,
    /// because terms are correlated given data. One entry, the latent function, where terms cannot be told apart.
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

    /// The probabilities of all classes (N×C) under [correlated](LatentBeliefs::are_correlated) beliefs of this posterior, for
    /// which likelihoods have no integrals; `None` where latent values are independent.
    ///
    /// # Errors
    /// What the likelihood reports.
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

    /// In the first component: all of them share kernel and inducing inputs.
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

/// Posteriors of several methods as one type.
impl Posterior for Box<dyn Posterior> {
    fn latent_count(&self) -> usize {
        (**self).latent_count()
    }

    fn describe(&self, latent: usize) -> LatentFunction<'_> {
        (**self).describe(latent)
    }

    fn weights(&self) -> &[f64] {
        (**self).weights()
    }

    fn beliefs(&self, x: MatRef<'_, f64>, by: &Evaluator) -> Result<LatentBeliefs, InferenceError> {
        (**self).beliefs(x, by)
    }

    fn joint(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        (**self).joint(latent, x, by)
    }

    fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
        by: &Evaluator,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        (**self).sample(x, count, seed, by)
    }

    fn term_means(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Mat<f64>, InferenceError> {
        (**self).term_means(latent, x, by)
    }

    fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
        by: &Evaluator,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        (**self).predict_terms(latent, x, by)
    }

    fn class_probabilities(
        &self,
        beliefs: &LatentBeliefs,
        by: &Evaluator,
    ) -> Result<Option<Mat<f64>>, InferenceError> {
        (**self).class_probabilities(beliefs, by)
    }
}
