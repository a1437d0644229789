//! Regression under Gaussian noise: Power EP in closed form, and without approximation.

use super::kernels;
use crate::data::{Part, Split};
use crate::error::ExperimentError;
use crate::harness::{Outcome, Stopwatch};
use gp_ep::exact::Prediction;
use gp_ep::{ExactGp, Observations, Powers, SparseProcess, SparseRegression, Training};
use gp_kernels::placement::{KMeans, Placement};
use gp_likelihoods::Gaussian;
use gp_optim::MinimiseOptions;
use std::f64::consts::TAU;

/// The noise variance to start from.
const NOISE: f64 = 0.1;

/// Power EP of this power, with inducing inputs that start from k-means and are learned: `smse`, `smll`, `log_evidence`
/// and `seconds`.
///
/// # Errors
/// Whatever learning or predicting failed of.
pub fn sparse(
    split: &Split,
    inducing: usize,
    power: f64,
    iterations: u64,
) -> Result<Outcome, ExperimentError> {
    let (training, watch) = (&split.training, Stopwatch::start());
    let labels = training.labels();
    let data = Observations::new(training.inputs.as_ref(), &labels)?;
    let kernel = kernels::one_scale_an_input(training.dim())?;
    let placed = KMeans::new().place(kernel.as_ref(), training.inputs.as_ref(), inducing, 1)?;
    let process = SparseProcess::new(kernel, placed.inputs)?;
    let mut model = SparseRegression::new(process, Gaussian::new(NOISE)?, Powers::Same(power));
    let found = model.train(&data, &options(iterations))?;
    let seconds = watch.seconds();
    let prediction = model.condition(&data)?.predict(split.test.inputs.as_ref())?;
    scores(&found, &prediction, &split.test, seconds)
}

/// Exact regression, by the same scores.
///
/// # Errors
/// As [`sparse`].
pub fn exact(split: &Split, iterations: u64) -> Result<Outcome, ExperimentError> {
    let (training, watch) = (&split.training, Stopwatch::start());
    let labels = training.labels();
    let data = Observations::new(training.inputs.as_ref(), &labels)?;
    let mut model = ExactGp::new(kernels::one_scale_an_input(training.dim())?, Gaussian::new(NOISE)?);
    let found = model.train(&data, &options(iterations))?;
    let seconds = watch.seconds();
    let prediction = model.condition(&data)?.predict(split.test.inputs.as_ref())?;
    scores(&found, &prediction, &split.test, seconds)
}

fn options(iterations: u64) -> MinimiseOptions {
    MinimiseOptions { max_iterations: iterations, ..MinimiseOptions::default() }
}

/// SMSE: mean squared error over the variance of the test targets. SMLL: mean negative log predictive density less that
/// of a normal distribution with the moments of the training targets, which are 0 and 1.
fn scores(
    found: &Training,
    prediction: &Prediction,
    test: &Part,
    seconds: f64,
) -> Result<Outcome, ExperimentError> {
    let (targets, count) = (test.labels(), test.len() as f64);
    let mean = targets.iter().sum::<f64>() / count;
    let variance = targets.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / count;
    let misses = targets.iter().zip(&prediction.latent_mean);
    let error = misses.map(|(y, mean)| (y - mean).powi(2)).sum::<f64>() / count;
    let trivial: f64 = targets.iter().map(|y| -0.5 * (TAU.ln() + y * y)).sum();
    let densities: f64 = prediction.log_density(&targets)?.iter().sum();
    Ok(Outcome::of([
        ("smse", error / variance),
        ("smll", (trivial - densities) / count),
        ("log_evidence", found.log_marginal_likelihood),
        ("seconds", seconds),
    ]))
}
