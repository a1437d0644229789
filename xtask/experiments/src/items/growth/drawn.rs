//! Tables and processes of the cases.

use super::size::Sizes;
use crate::error::ExperimentError;
use faer::{Mat, MatRef};
use gp_kernels::data::{DataError, Table};
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Length-scale in units of √D.
pub(super) const LENGTHSCALE: f64 = 0.3;

pub(in crate::items) struct Drawn {
    /// One contiguous point per column.
    points: Mat<f64>,
    pub(super) targets: Vec<f64>,
}

impl Drawn {
    /// Smooth function of the first two inputs.
    pub(super) fn numbers(sizes: &Sizes) -> Self {
        let points = points(sizes.rows, sizes.dim, 2);
        let wave = |i: usize| (3.0 * points[(0, i)] + points[(1, i)]).sin();
        let targets = (0..sizes.rows).map(wave).collect();
        Self { points, targets }
    }

    /// Labels: index among C equal parts of the range.
    pub(in crate::items) fn labels(sizes: &Sizes) -> Self {
        let mut drawn = Self::numbers(sizes);
        let parts = sizes.classes as f64 - 1e-9;
        drawn.targets.iter_mut().for_each(|value| *value = (0.5 * (*value + 1.0) * parts).floor());
        drawn
    }

    pub(in crate::items) fn signs(sizes: &Sizes) -> Self {
        let mut drawn = Self::numbers(sizes);
        drawn.targets.iter_mut().for_each(|value| *value = value.signum());
        drawn
    }

    pub(super) fn inputs(&self) -> MatRef<'_, f64> {
        self.points.as_ref().transpose()
    }

    pub(in crate::items) fn table(&self) -> Result<Table<'_>, DataError> {
        Table::with_targets(self.inputs(), &self.targets)
    }

    pub(in crate::items) fn first(&self, rows: usize) -> Result<Table<'_>, DataError> {
        Table::with_targets(self.inputs().subrows(0, rows), &self.targets[..rows])
    }
}

/// Points uniform in [−1, 1], one per column.
pub(super) fn points(count: usize, dim: usize, seed: u64) -> Mat<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Mat::from_fn(dim, count, |_, _| rng.random_range(-1.0..1.0))
}

pub(in crate::items) fn process(sizes: &Sizes, seed: u64) -> Result<SparseProcess, ExperimentError> {
    let lengthscale = LENGTHSCALE * (sizes.dim as f64).sqrt();
    let scales = vec![lengthscale.to_string(); sizes.dim].join(", ");
    let kernel = gp_kernels::parse(&format!("1.5 * rbf(lengthscale=[{scales}])"))?;
    let inducing = points(sizes.inducing, sizes.dim, seed);
    Ok(SparseProcess::new(kernel, InducingInputs::points(inducing.as_ref().transpose())?)?)
}
