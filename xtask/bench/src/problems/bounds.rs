//! Problems whose value is the variational bound of a batch.

use super::JITTER;
use super::file::Problem;
use crate::error::BenchError;
use crate::rows::batches::{B, ROBUST_MAX, SOFTMAX, digits_model, signs_model};
use faer::Mat;
use gp_kernels::data::Table;
use gp_variational::Savigp;
use gp_variational::savigp::Bound;

pub(super) fn robust_max() -> Result<Problem, BenchError> {
    bound(digits_model(ROBUST_MAX)?)
}

pub(super) fn softmax() -> Result<Problem, BenchError> {
    bound(digits_model(SOFTMAX)?)
}

pub(super) fn signs() -> Result<Problem, BenchError> {
    bound(signs_model()?)
}

/// `value`: bound for all data from the first `batch` rows, under `q_mean`, `q_factor`.
fn bound((model, data): (Savigp, &'static Table<'static>)) -> Result<Problem, BenchError> {
    let mut model = model.with_jitter(JITTER);
    let (mut means, mut factors) = (Vec::new(), Vec::new());
    let mut posterior = model.posterior().clone();
    let counts = posterior.counts().to_vec();
    for (function, &count) in counts.iter().enumerate() {
        let (mean, factor) = gaussian(count, function);
        posterior.set(0, function, &mean, factor.as_ref())?;
        means.extend(mean);
        factors.extend(factor.row_iter().flat_map(|row| row.iter().copied().collect::<Vec<_>>()));
    }
    model.set_posterior(posterior)?;
    let mut bound = Bound::for_batches(&model, data, B)?;
    bound.load(&model, data, &(0..B).collect::<Vec<_>>())?;
    let value = bound.value(&model)?;
    let (functions, count) = (counts.len(), counts[0]);
    Ok(Problem::default()
        .process(model.process(0), &JITTER)?
        .data(data)?
        .array("q_mean", &[functions, count], means)
        .array("q_factor", &[functions, count, count], factors)
        .number("batch", B as f64)
        .number("value", value))
}

/// Arbitrary mean and factor per function.
fn gaussian(count: usize, function: usize) -> (Vec<f64>, Mat<f64>) {
    let mean = (0..count).map(|i| 0.8 * (1.3 * i as f64 + function as f64).sin()).collect();
    let entry = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.6 + 0.3 * (0.7 * (i + function) as f64).cos(),
        std::cmp::Ordering::Greater => 0.02 * (i as f64 - 2.0 * j as f64 + function as f64).cos(),
    };
    (mean, Mat::from_fn(count, count, entry))
}
