//! Initial kernels of mixtures of latent functions.

use super::{ROWS, placed, quick};
use crate::error::CliError;
use crate::fit::sample::Sample;
use crate::fit::spec::FitSpec;
use crate::method::{Problem, TrainingRows};
use faer::Mat;
use gp_ep::DataSource as _;
use gp_likelihoods::{Gaussian, Likelihood};

/// Initial noise variance of the quick fit.
const NOISE: f64 = 0.1;

/// Sets kernels by quick fits to latent estimates.
pub(super) fn settle(problem: &mut Problem, spec: &FitSpec, sample: &TrainingRows) -> Result<(), CliError> {
    let few = Sample::at_most(sample, ROWS, spec.seed)?.rows;
    for latent in 0..problem.kernels.len() {
        let Some(scores) = scores(problem.likelihood.as_ref(), latent, &few)? else { continue };
        let noise = Gaussian::new(NOISE)?;
        let placed = placed(problem, &scores)?;
        if let Some(found) = quick((&*problem, &placed), problem.kernels[latent].as_ref(), noise, &scores)? {
            problem.kernels[latent] = found.model.process(0).kernel().clone_box();
        }
    }
    Ok(())
}

/// Latent estimates from present targets: `Σ_p W_pq y_p / Σ_p W²_pq`. `None` without any.
fn scores(
    likelihood: &dyn Likelihood,
    latent: usize,
    rows: &TrainingRows,
) -> Result<Option<TrainingRows>, CliError> {
    let (latents, outputs) = (likelihood.latents(), likelihood.targets());
    let Some(mixing) = likelihood.mixing() else { return Ok(None) };
    let (points, observed) = rows.whole()?;
    let score = |row: &[f64]| {
        let weights = mixing.iter().skip(latent).step_by(latents);
        let there = weights.zip(&row[..outputs]).filter(|(_, y)| !y.is_nan());
        let (sum, squares) = there.fold((0.0, 0.0), |(sum, squares), (w, y)| (sum + w * y, squares + w * w));
        sum / squares
    };
    let all: Vec<f64> = observed.chunks_exact(rows.outputs()).map(score).collect();
    let told: Vec<usize> = (0..all.len()).filter(|&row| all[row].is_finite()).collect();
    if told.is_empty() {
        return Ok(None);
    }
    let points = Mat::from_fn(told.len(), points.ncols(), |i, d| points[(told[i], d)]);
    Ok(Some(TrainingRows::in_memory(points, told.into_iter().map(|row| all[row]).collect())))
}
