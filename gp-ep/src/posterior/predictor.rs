//! A posterior with its likelihood.

use super::Posterior;
use crate::error::{InferenceError, check_count};
use faer::{Mat, MatRef};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{
    InducingPosterior, LatentBeliefs, LatentFunction, LatentPrediction, MixturePosterior,
};
use gp_likelihoods::{Likelihood, ObservationMoments};
use gp_linalg::Threading;
use gp_optim::Brake;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Predictions of latent values and observations, by whichever method the model was fitted. It borrows nothing.
#[derive(Clone, Debug)]
pub struct Predictor<F = MixturePosterior<InducingPosterior>> {
    functions: F,
    likelihood: Box<dyn Likelihood>,
    threading: Threading,
    brake: Brake,
}

impl<F: Posterior> Predictor<F> {
    /// A posterior over as many latent functions as the likelihood has latents. Predictions are of the targets alone, by the
    /// [plain](gp_likelihoods::Described::plain) likelihood where it has columns with a role behind them.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for another number.
    pub fn new(
        functions: F,
        likelihood: Box<dyn Likelihood>,
        threading: Threading,
    ) -> Result<Self, InferenceError> {
        check_count("model", "posteriors", likelihood.latents(), functions.latent_count())?;
        let likelihood = likelihood.plain().map(|plain| plain.clone_box()).unwrap_or(likelihood);
        Ok(Self { functions, likelihood, threading, brake: Brake::default() })
    }

    /// The same predictions, computed elsewhere. The numbers do not change.
    #[must_use]
    pub fn with_threading(self, threading: Threading) -> Self {
        Self { threading, ..self }
    }

    /// The same predictions, which this brake may end between two blocks of points.
    #[must_use]
    pub fn with_brake(self, brake: Brake) -> Self {
        Self { brake, ..self }
    }

    /// The same latent functions, held in another way.
    pub fn map<G: Posterior>(self, of: impl FnOnce(F) -> G) -> Predictor<G> {
        let Self { functions, likelihood, threading, brake } = self;
        Predictor { functions: of(functions), likelihood, threading, brake }
    }

    /// The posterior over all latent functions.
    #[must_use]
    pub fn functions(&self) -> &F {
        &self.functions
    }

    /// What ties an observation to its latent values, as it was learned.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// What there is to say of each latent function.
    #[must_use]
    pub fn describe(&self) -> Vec<LatentFunction<'_>> {
        (0..self.functions.latent_count()).map(|latent| self.functions.describe(latent)).collect()
    }

    pub(crate) fn evaluator(&self) -> Evaluator {
        Evaluator::new(self.threading).with_brake(self.brake.clone())
    }

    /// LatentBeliefs about the latent values of the rows of `x` (N×D), of which much can be [asked](Self::given).
    ///
    /// # Errors
    /// [`InferenceError::Kernel`] for points that do not suit a kernel or are not finite.
    pub fn beliefs(&self, x: MatRef<'_, f64>) -> Result<LatentBeliefs, InferenceError> {
        self.functions.beliefs(x, &self.evaluator())
    }

    /// Means and variances of each latent function at `x` (N×D).
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs).
    pub fn latents(&self, x: MatRef<'_, f64>) -> Result<Vec<LatentPrediction>, InferenceError> {
        Ok(self.beliefs(x)?.into_functions())
    }

    /// Means and variances of the function that each [term](gp_kernels::posterior::terms()) of the kernel of one latent
    /// function stands for, at `x` (N×D). The means add up to that of the latent function.
    ///
    /// # Errors
    /// As [`joint`](Self::joint).
    pub fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        self.functions.predict_terms(latent, x, &self.evaluator())
    }

    /// Mean and variance of each output at `x` (N×D): N·P of them, observation by observation.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs), and what the likelihood reports.
    pub fn moments(&self, x: MatRef<'_, f64>) -> Result<Vec<ObservationMoments>, InferenceError> {
        self.given(&self.beliefs(x)?).moments()
    }

    /// The least number that one output (counted from 0) does not exceed with this probability, at each row of `x`: two
    /// of them are an interval.
    ///
    /// # Errors
    /// As [`moments`](Self::moments), for a probability that is not strictly between 0 and 1, and for no such output.
    pub fn quantiles(
        &self,
        x: MatRef<'_, f64>,
        output: usize,
        probability: f64,
    ) -> Result<Vec<f64>, InferenceError> {
        self.given(&self.beliefs(x)?).quantiles(output, probability)
    }

    /// The probability of every class at `x` (N×D): N×C, classes in the order of
    /// [`Support::label`](gp_likelihoods::Support::label).
    ///
    /// # Errors
    /// As [`moments`](Self::moments); [`InferenceError::Unsupported`] where observations are no classes.
    pub fn class_probabilities(&self, x: MatRef<'_, f64>) -> Result<Mat<f64>, InferenceError> {
        self.given(&self.beliefs(x)?).class_probabilities()
    }

    /// The most probable label at each row of `x` (N×D); the first of several.
    ///
    /// # Errors
    /// As [`class_probabilities`](Self::class_probabilities).
    pub fn labels(&self, x: MatRef<'_, f64>) -> Result<Vec<f64>, InferenceError> {
        let (found, support) = (self.class_probabilities(x)?, self.likelihood.support());
        let best = |i: usize| {
            (1..found.ncols()).fold(0, |best, c| if found[(i, c)] > found[(i, best)] { c } else { best })
        };
        Ok((0..found.nrows()).map(|i| support.label(best(i))).collect())
    }

    /// `ln p(y_i | data)` of new observations: at `x` (N×D), `y` row after row.
    ///
    /// # Errors
    /// As [`moments`](Self::moments); [`InferenceError::Observation`] for one there cannot be, such as a class that was
    /// not among those of training; [`InferenceError::Shape`] for another number of targets.
    pub fn log_densities(&self, x: MatRef<'_, f64>, y: &[f64]) -> Result<Vec<f64>, InferenceError> {
        self.given(&self.beliefs(x)?).log_densities(y)
    }

    /// Means of one latent function at `x` (N×D), and their joint covariance.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs); an error where there is no such function.
    pub fn joint(&self, latent: usize, x: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        self.functions.joint(latent, x, &self.evaluator())
    }

    /// `count` joint samples of all latent functions at `x`, the same for the same seed: for each latent function N×`count`,
    /// one sample per column.
    ///
    /// # Errors
    /// As [`beliefs`](Self::beliefs), and when a covariance cannot be factored.
    pub fn sample_latents(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        self.functions.sample(x, count, seed, &self.evaluator())
    }

    /// `count` samples of new observations at `x`, the same for the same seed: for each output N×`count`. Latent values
    /// of a sample are joint over all points.
    ///
    /// # Errors
    /// As [`sample_latents`](Self::sample_latents), and what the likelihood reports.
    pub fn sample(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        let latents = self.sample_latents(x, count, seed)?;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1);
        let mut samples = vec![Mat::zeros(x.nrows(), count); self.likelihood.outputs()];
        let (mut f, mut y) = (vec![0.0; latents.len()], vec![0.0; self.likelihood.outputs()]);
        for j in 0..count {
            for i in 0..x.nrows() {
                f.iter_mut().zip(&latents).for_each(|(f, of)| *f = of[(i, j)]);
                self.likelihood.sample(&f, &mut rng, &mut y)?;
                samples.iter_mut().zip(&y).for_each(|(of, y)| of[(i, j)] = *y);
            }
        }
        Ok(samples)
    }
}
