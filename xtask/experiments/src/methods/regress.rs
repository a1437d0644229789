//! Regression under Gaussian noise: closed-form Power EP and exact.

use super::fitted::Fitted;
use super::savigp::log_evidence;
use super::{kernels, scores};
use crate::data::{Part, Split};
use crate::error::ExperimentError;
use crate::harness::{Effort, Outcome};
use gp_ep::{
    ExactGp, ExactPosterior, Inference as _, Learning, LearningRecord, Observations, Powers, Predictor,
    SparseProcess, SparseRegression,
};
use gp_kernels::placement::{KMeans, Placement};
use gp_kernels::posterior::MixturePosterior;
use gp_likelihoods::Gaussian;
use gp_optim::MinimiseOptions;
use std::f64::consts::TAU;

pub(crate) const NOISE: f64 = 0.1;

/// Power EP; learns inducing inputs from k-means. Scores: `smse`, `smll`, `log_evidence`, `seconds`.
///
/// # Errors
/// Failed training or prediction.
pub fn sparse(
    split: &Split,
    inducing: usize,
    power: f64,
    evaluations: u64,
) -> Result<Outcome, ExperimentError> {
    scored(split, || {
        let training = &split.training;
        let labels = training.labels();
        let data = Observations::new(training.inputs.as_ref(), &labels)?;
        let kernel = kernels::one_scale_an_input(training.dim())?;
        let placed = KMeans::new().place(kernel.as_ref(), training.inputs.as_ref(), inducing, 1)?;
        let process = SparseProcess::new(kernel, placed.inputs)?;
        let mut model = SparseRegression::new(process, Gaussian::new(NOISE)?, Powers::Same(power));
        let run = model.learn(&data, within(evaluations))?.run;
        let effort = effort(&run, evaluations).with("inducing", inducing).with("power", power);
        Ok((model.posterior(&data)?, log_evidence(&run), effort))
    })
}

/// Exact regression, with the scores of [`sparse`].
///
/// # Errors
/// As [`sparse`].
pub fn exact(split: &Split, evaluations: u64) -> Result<Outcome, ExperimentError> {
    scored(split, || exact_posterior(&split.training, evaluations))
}

pub(crate) fn exact_posterior(
    training: &Part,
    evaluations: u64,
) -> Result<(Predictor<MixturePosterior<ExactPosterior>>, f64, Effort), ExperimentError> {
    let labels = training.labels();
    let data = Observations::new(training.inputs.as_ref(), &labels)?;
    let mut model = ExactGp::new(kernels::one_scale_an_input(training.dim())?, Gaussian::new(NOISE)?);
    let run = model.learn(&data, within(evaluations))?.run;
    Ok((model.posterior(&data)?, log_evidence(&run), effort(&run, evaluations)))
}

/// L-BFGS with an evaluation limit (Bui et al. 2017 §4.1).
pub(crate) fn within(evaluations: u64) -> Learning {
    let mut options = MinimiseOptions { max_iterations: evaluations, ..MinimiseOptions::default() };
    options.lbfgs.max_evaluations = evaluations;
    Learning::Outer(options)
}

fn effort(run: &LearningRecord, evaluations: u64) -> Effort {
    Effort::from(run).with("optimizer", "L-BFGS").with("evaluations at most", evaluations)
}

/// SMSE: mean squared error over test variance. SMLL: mean negative log density minus that of N(0, 1).
fn scored<F: Fitted>(
    split: &Split,
    learn: impl FnOnce() -> Result<(F, f64, Effort), ExperimentError>,
) -> Result<Outcome, ExperimentError> {
    let ((fitted, log_evidence, effort), seconds) = scores::timed(learn)?;
    let found = scores::of_numbers(&fitted, split)?;
    let targets = split.test.labels();
    let trivial = targets.iter().map(|y| 0.5 * (TAU.ln() + y * y)).sum::<f64>() / targets.len() as f64;
    Ok(Outcome::of([
        ("smse", found.relative[0]),
        ("smll", found.nlpd - split.log_units() - trivial),
        ("log_evidence", log_evidence),
        ("seconds", seconds),
    ])
    .by(effort))
}
