//! Problems to test on.

use super::reference::Table;
use faer::Mat;
use gp_ep::{DataSource, ExactGp, Inference, InferenceError, Learning, Observations, Training};
use gp_likelihoods::Gaussian;
use gp_optim::MinimiseOptions;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};

pub(crate) fn outer(
    model: &mut impl Inference,
    data: &dyn DataSource,
    options: &MinimiseOptions,
) -> Result<Training, InferenceError> {
    let run = model.learn(data, Learning::Outer(options.clone()))?.run;
    Ok(run.training().unwrap().clone())
}

/// Inputs uniform in a cube of side 2, smooth targets, noise deviation 0.1.
pub(crate) struct Problem {
    pub(crate) inputs: Mat<f64>,
    pub(crate) targets: Vec<f64>,
}

impl Problem {
    pub(crate) fn new(count: usize, dim: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let cube = Uniform::new(-1.0, 1.0).unwrap();
        let inputs = Mat::from_fn(count, dim, |_, _| cube.sample(&mut rng));
        let target = |i: usize| {
            let noise: f64 = StandardNormal.sample(&mut rng);
            let signal: f64 = (0..dim).map(|d| (3.0 * inputs[(i, d)] + d as f64).sin()).sum();
            signal / (dim as f64).sqrt() + 0.1 * noise
        };
        let targets = (0..count).map(target).collect();
        Self { inputs, targets }
    }

    pub(crate) fn data(&self) -> Observations<'_> {
        Observations::new(self.inputs.as_ref(), &self.targets).unwrap()
    }

    pub(crate) fn table(&self) -> Table {
        table(&self.inputs)
    }

    pub(crate) fn without(&self, row: usize) -> Self {
        let kept: Vec<usize> = (0..self.targets.len()).filter(|&i| i != row).collect();
        Self {
            inputs: Mat::from_fn(kept.len(), self.inputs.ncols(), |i, d| self.inputs[(kept[i], d)]),
            targets: kept.iter().map(|&i| self.targets[i]).collect(),
        }
    }
}

pub(crate) fn table(points: &Mat<f64>) -> Table {
    (0..points.nrows()).map(|i| (0..points.ncols()).map(|d| points[(i, d)]).collect()).collect()
}

pub(crate) fn model(kernel: &str, noise: f64) -> ExactGp {
    ExactGp::new(gp_kernels::parse(kernel).unwrap(), Gaussian::new(noise).unwrap())
}

/// `1.7 · rbf(lengthscale = 0.8)`
pub(crate) fn rbf(x: &[f64], z: &[f64]) -> f64 {
    let squared: f64 = x.iter().zip(z).map(|(x, z)| (x - z).powi(2)).sum();
    1.7 * (-0.5 * squared / 0.64).exp()
}

pub(crate) const RBF: &str = "1.7 * rbf(lengthscale=0.8)";

#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(1.0);
    assert!((found - expected).abs() <= tolerance * scale, "found {found}, expected {expected}");
}
