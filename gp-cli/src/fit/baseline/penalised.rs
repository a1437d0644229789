//! Maximises `Σ ln p(y | W x + b) − ½ |W|²` over standardised inputs.

use super::is_over;
use super::line::line;
use crate::error::{CliError, ErrorKind};
use crate::method::TrainingRows;
use crate::model::{Approximation, Functions};
use gp_ep::{DataSource, Predictor};
use gp_kernels::Evaluator;
use gp_kernels::posterior::MixturePosterior;
use gp_likelihoods::{Likelihood, LikelihoodError, PointDerivatives};
use gp_optim::{Control, LbfgsOptions, MinimiseOptions, minimise};
use rayon::prelude::*;

/// Maximum N (D + 1) Q; beyond, at least `MIN_ROWS` rows are sampled.
const MAX_WORK: usize = 10_000_000;
const MIN_ROWS: usize = 2_000;
const ITERATIONS: u64 = 100;
const VALUE_TOLERANCE: f64 = 1e-8;
/// Relative spread of rounding errors.
const ROUNDING: f64 = 1e-9;
/// Rows per summation block, independent of threads.
const BLOCK: usize = 1_024;

pub(super) fn most_rows(sample: &TrainingRows, latents: usize) -> usize {
    (MAX_WORK / ((sample.dim() + 1) * latents)).max(MIN_ROWS)
}

/// `None` after a time limit or interrupt.
pub(super) fn fit(
    rows: &TrainingRows,
    likelihood: Box<dyn Likelihood>,
    control: &Control,
) -> Result<Option<Approximation>, CliError> {
    let regression = Regression::new(rows, likelihood.as_ref())?;
    let options = MinimiseOptions {
        max_iterations: ITERATIONS,
        lbfgs: LbfgsOptions { value_tolerance: VALUE_TOLERANCE, ..LbfgsOptions::default() },
        control: control.aside(),
    };
    let objective = |x: &[f64], gradient: &mut [f64]| regression.loss(x, gradient);
    let found = minimise(objective, &regression.start(), &options);
    // Unconverged weights are discarded.
    if is_over(control) {
        return Ok(None);
    }
    let weights = found.map_err(|error| CliError::new(ErrorKind::Numerical, error.to_string()))?.x;
    let lines = (0..likelihood.latents()).map(|latent| {
        let (level, slopes) = regression.function(&weights, latent);
        line(level, &slopes)
    });
    let lines = MixturePosterior::single(lines.collect::<Result<Vec<_>, _>>()?);
    let by = Evaluator::default().threading();
    Ok(Some(Predictor::new(Functions::from(lines), likelihood, by)?))
}

/// Standardised inputs, rows preceded by 1.
struct Regression<'a> {
    inputs: Vec<f64>,
    width: usize,
    observed: &'a [f64],
    outputs: usize,
    likelihood: &'a dyn Likelihood,
    latents: usize,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

struct Share {
    loss: f64,
    gradient: Vec<f64>,
}

impl<'a> Regression<'a> {
    fn new(data: &'a TrainingRows, likelihood: &'a dyn Likelihood) -> Result<Self, CliError> {
        let (points, observed) = data.whole()?;
        let (rows, dim, outputs) = (points.nrows(), points.ncols(), data.outputs());
        let weights: Vec<f64> = observed.chunks_exact(outputs).map(|y| likelihood.weight(y)).collect();
        let all: f64 = weights.iter().sum();
        let average = |of: &dyn Fn(usize) -> f64| {
            weights.iter().enumerate().map(|(i, weight)| weight * of(i)).sum::<f64>() / all
        };
        let mean = |d: usize| average(&|i| points[(i, d)]);
        let means: Vec<f64> = (0..dim).map(mean).collect();
        let deviation = |d: usize| {
            let deviation = average(&|i| (points[(i, d)] - means[d]).powi(2)).sqrt();
            // The computed spread of a constant is rounding error.
            if deviation > ROUNDING * (1.0 + means[d].abs()) { deviation } else { 1.0 }
        };
        let deviations: Vec<f64> = (0..dim).map(deviation).collect();
        let mut inputs = Vec::with_capacity(rows * (dim + 1));
        for i in 0..rows {
            inputs.push(1.0);
            inputs.extend((0..dim).map(|d| (points[(i, d)] - means[d]) / deviations[d]));
        }
        let (width, latents) = (dim + 1, likelihood.latents());
        Ok(Self { inputs, width, observed, outputs, likelihood, latents, means, deviations })
    }

    /// Zero weights; for counts, log mean rate.
    fn start(&self) -> Vec<f64> {
        let mut start = vec![0.0; self.width * self.latents];
        if self.likelihood.support().classes() == 0 {
            let sum = |of: &dyn Fn(&[f64]) -> f64| {
                let rows = self.observed.chunks_exact(self.outputs);
                rows.map(|y| self.likelihood.weight(y) * of(y)).sum::<f64>()
            };
            // The second column of an adjusted likelihood is the offset.
            let rate = sum(&|y| y[0]) / sum(&|y| y.get(1).copied().unwrap_or(0.0).exp());
            start[0] = rate.max(f64::MIN_POSITIVE).ln();
        }
        start
    }

    /// `−Σ ln p + ½ |W|²` and gradient. `weights`: (D + 1)×Q, row-major, intercepts first.
    fn loss(&self, weights: &[f64], gradient: &mut [f64]) -> Result<f64, LikelihoodError> {
        let blocks =
            self.inputs.par_chunks(BLOCK * self.width).zip(self.observed.par_chunks(BLOCK * self.outputs));
        let shares: Result<Vec<Share>, _> =
            blocks.map(|(inputs, observed)| self.share(inputs, observed, weights)).collect();
        let penalised = self.latents;
        gradient.copy_from_slice(weights);
        gradient[..penalised].fill(0.0);
        let mut loss = 0.5 * weights[penalised..].iter().map(|w| w * w).sum::<f64>();
        for share in shares? {
            loss += share.loss;
            gradient.iter_mut().zip(&share.gradient).for_each(|(sum, own)| *sum += own);
        }
        Ok(loss)
    }

    fn share(&self, inputs: &[f64], observed: &[f64], weights: &[f64]) -> Result<Share, LikelihoodError> {
        let (mut share, mut f) =
            (Share { loss: 0.0, gradient: vec![0.0; weights.len()] }, vec![0.0; self.latents]);
        let mut point = PointDerivatives::default();
        for (x, y) in inputs.chunks_exact(self.width).zip(observed.chunks_exact(self.outputs)) {
            f.fill(0.0);
            for (x, weights) in x.iter().zip(weights.chunks_exact(self.latents)) {
                f.iter_mut().zip(weights).for_each(|(f, w)| *f += x * w);
            }
            self.likelihood.log_density_slopes(y, &f, &mut point)?;
            let weight = self.likelihood.weight(y);
            share.loss -= weight * point.value;
            for (x, gradient) in x.iter().zip(share.gradient.chunks_exact_mut(self.latents)) {
                gradient.iter_mut().zip(&point.by_latent).for_each(|(sum, slope)| *sum -= weight * x * slope);
            }
        }
        Ok(share)
    }

    /// Intercept and slopes in original units.
    fn function(&self, weights: &[f64], latent: usize) -> (f64, Vec<f64>) {
        let own = |column: usize| weights[column * self.latents + latent];
        let slopes: Vec<f64> =
            (1..self.width).map(|column| own(column) / self.deviations[column - 1]).collect();
        let shift: f64 = slopes.iter().zip(&self.means).map(|(slope, mean)| slope * mean).sum();
        (own(0) - shift, slopes)
    }
}

#[cfg(test)]
mod tests;
