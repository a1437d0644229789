//! Posterior with likelihood.

use super::Posterior;
use crate::error::{InferenceError, check_count};
use faer::{Mat, MatRef};
use gp_kernels::Evaluator;
use gp_kernels::posterior::{
    InducingPosterior, LatentBeliefs, LatentFunction, LatentPrediction, MixturePosterior,
};
use gp_likelihoods::{Likelihood, ObservationMoments};
use gp_linalg::Threading;
use gp_optim::StopSignal;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Predictions at `x`, N×D; owns posterior and likelihood.
///
/// Errors are [`InferenceError::Kernel`] for unsuitable points, [`InferenceError::Observation`] for observations such
/// as an unseen class, [`InferenceError::Shape`] of `y`, those of unknown latents and outputs, and, with the row, of
/// the likelihood.
#[derive(Clone, Debug)]
pub struct Predictor<F = MixturePosterior<InducingPosterior>> {
    functions: F,
    likelihood: Box<dyn Likelihood>,
    threading: Threading,
    stop_signal: StopSignal,
    temperature: f64,
}

impl<F: Posterior> Predictor<F> {
    /// Predicts targets by the [plain](gp_likelihoods::Described::plain) likelihood.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] of `functions`.
    pub fn new(
        functions: F,
        likelihood: Box<dyn Likelihood>,
        threading: Threading,
    ) -> Result<Self, InferenceError> {
        check_count("model", "posteriors", likelihood.latents(), functions.latent_count())?;
        let likelihood = likelihood.plain().map(|plain| plain.clone_box()).unwrap_or(likelihood);
        Ok(Self { functions, likelihood, threading, stop_signal: StopSignal::default(), temperature: 1.0 })
    }

    /// Sets threading; results do not change.
    #[must_use]
    pub fn with_threading(self, threading: Threading) -> Self {
        Self { threading, ..self }
    }

    /// Sets a signal that stops predictions between blocks.
    #[must_use]
    pub fn with_stop_signal(self, stop_signal: StopSignal) -> Self {
        Self { stop_signal, ..self }
    }

    /// Sets T: label predictions by class probabilities to the power 1/T, normalised; latents and
    /// [samples](Self::sample) stay. Estimate: [`Temperature`](super::Temperature).
    ///
    /// # Errors
    /// [`InferenceError::Option`] unless finite and positive; [`InferenceError::Unsupported`] for T ≠ 1
    /// without classes.
    pub fn with_temperature(self, temperature: f64) -> Result<Self, InferenceError> {
        if !(temperature > 0.0 && temperature.is_finite()) {
            let (what, allowed) = ("temperature", "above 0 and finite");
            return Err(InferenceError::Option { what, value: temperature, allowed });
        }
        if temperature != 1.0 && self.likelihood.support().classes() == 0 {
            return Err(InferenceError::Unsupported {
                what: "a temperature for observations without classes",
            });
        }
        Ok(Self { temperature, ..self })
    }

    /// T of class probabilities; default 1.
    #[must_use]
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// Converts the posterior; keeps the rest.
    pub fn map<G: Posterior>(self, of: impl FnOnce(F) -> G) -> Predictor<G> {
        let Self { functions, likelihood, threading, stop_signal, temperature } = self;
        Predictor { functions: of(functions), likelihood, threading, stop_signal, temperature }
    }

    /// Posterior over latent functions.
    #[must_use]
    pub fn functions(&self) -> &F {
        &self.functions
    }

    /// Learned likelihood.
    #[must_use]
    pub fn likelihood(&self) -> &dyn Likelihood {
        self.likelihood.as_ref()
    }

    /// Descriptions of latent functions.
    #[must_use]
    pub fn describe(&self) -> Vec<LatentFunction<'_>> {
        (0..self.functions.latent_count()).map(|latent| self.functions.describe(latent)).collect()
    }

    pub(crate) fn evaluator(&self) -> Evaluator {
        Evaluator::new(self.threading).with_stop_signal(self.stop_signal.clone())
    }

    /// Beliefs for several [predictions](Self::given).
    pub fn beliefs(&self, x: MatRef<'_, f64>) -> Result<LatentBeliefs, InferenceError> {
        self.functions.beliefs(x, &self.evaluator())
    }

    /// Means and variances of each latent.
    pub fn latents(&self, x: MatRef<'_, f64>) -> Result<Vec<LatentPrediction>, InferenceError> {
        Ok(self.beliefs(x)?.into_functions())
    }

    /// Means and variances of kernel [terms](gp_kernels::posterior::terms()) of one latent; means add up.
    pub fn predict_terms(
        &self,
        latent: usize,
        x: MatRef<'_, f64>,
    ) -> Result<Vec<LatentPrediction>, InferenceError> {
        self.functions.predict_terms(latent, x, &self.evaluator())
    }

    /// Mean and variance of outputs: N·P, by observation.
    pub fn moments(&self, x: MatRef<'_, f64>) -> Result<Vec<ObservationMoments>, InferenceError> {
        self.given(&self.beliefs(x)?).moments()
    }

    /// Quantiles of one output (from 0), for a probability in (0, 1).
    pub fn quantiles(
        &self,
        x: MatRef<'_, f64>,
        output: usize,
        probability: f64,
    ) -> Result<Vec<f64>, InferenceError> {
        self.given(&self.beliefs(x)?).quantiles(output, probability)
    }

    /// Probabilities, N×C, ordered as [`Support::label`](gp_likelihoods::Support::label).
    ///
    /// # Errors
    /// [`InferenceError::Unsupported`] without classes.
    pub fn class_probabilities(&self, x: MatRef<'_, f64>) -> Result<Mat<f64>, InferenceError> {
        self.given(&self.beliefs(x)?).class_probabilities()
    }

    /// Most probable labels, by [`class_probabilities`](Self::class_probabilities); the first of equals.
    pub fn labels(&self, x: MatRef<'_, f64>) -> Result<Vec<f64>, InferenceError> {
        let (found, support) = (self.class_probabilities(x)?, self.likelihood.support());
        let best = |i: usize| {
            (1..found.ncols()).fold(0, |best, c| if found[(i, c)] > found[(i, best)] { c } else { best })
        };
        Ok((0..found.nrows()).map(|i| support.label(best(i))).collect())
    }

    /// `ln p(y_i | data)` in nats; `y` has N·P values.
    pub fn log_densities(&self, x: MatRef<'_, f64>, y: &[f64]) -> Result<Vec<f64>, InferenceError> {
        self.given(&self.beliefs(x)?).log_densities(y)
    }

    /// Means and joint covariance (N×N) of one latent.
    pub fn joint(&self, latent: usize, x: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), InferenceError> {
        self.functions.joint(latent, x, &self.evaluator())
    }

    /// Joint samples: N×`count` per latent, reproducible by seed; an error without Cholesky factor of the covariance.
    pub fn sample_latents(
        &self,
        x: MatRef<'_, f64>,
        count: usize,
        seed: u64,
    ) -> Result<Vec<Mat<f64>>, InferenceError> {
        self.functions.sample(x, count, seed, &self.evaluator())
    }

    /// Samples of observations: N×`count` per output, joint over points, reproducible by seed; errors as
    /// [`sample_latents`](Self::sample_latents).
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
