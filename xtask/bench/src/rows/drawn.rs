//! Data and models of the rows.

use crate::error::BenchError;
use faer::{Mat, MatRef};
use gp_kernels::data::Table;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use rand::{RngExt, SeedableRng};

/// Random contiguous points in [−1, 1].
pub(crate) fn points(count: usize, dim: usize, seed: u64) -> MatRef<'static, f64> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let points = Mat::from_fn(dim, count, |_, _| rng.random_range(-1.0..1.0));
    Box::leak(Box::new(points)).as_ref().transpose()
}

/// Smooth function of the first two inputs, in [−1, 1].
pub(crate) fn wave(points: MatRef<'_, f64>) -> Vec<f64> {
    (0..points.nrows()).map(|i| (3.0 * points[(i, 0)] + points[(i, 1)]).sin()).collect()
}

/// Sign of [`wave`].
pub(crate) fn signs(points: MatRef<'_, f64>) -> Vec<f64> {
    wave(points).iter().map(|value| value.signum()).collect()
}

/// Index of [`wave`] among equal intervals.
pub(crate) fn classes(points: MatRef<'_, f64>, count: usize) -> Vec<f64> {
    wave(points).iter().map(|value| (0.5 * (value + 1.0) * (count as f64 - 1e-9)).floor()).collect()
}

pub(crate) fn table(
    points: MatRef<'static, f64>,
    targets: Vec<f64>,
) -> Result<&'static Table<'static>, BenchError> {
    let targets: &'static [f64] = Box::leak(targets.into_boxed_slice());
    Ok(Box::leak(Box::new(Table::with_targets(points, targets)?)))
}

/// Latent with one length-scale per input.
pub(crate) fn process(inducing: usize, dim: usize, seed: u64) -> Result<SparseProcess, BenchError> {
    let lengthscale = 0.7 * (dim as f64).sqrt();
    let scales = vec![lengthscale.to_string(); dim].join(", ");
    let kernel = gp_kernels::parse(&format!("1.5 * rbf(lengthscale=[{scales}])"))?;
    Ok(SparseProcess::new(kernel, InducingInputs::points(points(inducing, dim, seed))?)?)
}
