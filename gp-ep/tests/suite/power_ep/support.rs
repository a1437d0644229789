//! Problems to test on.

use super::reference::Table;
use faer::Mat;
use gp_ep::{BatchEp, EpOptions, PowerEp, SparseProcess};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::Likelihood;
use gp_linalg::JitterPolicy;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};

pub(crate) const RBF: &str = "1.7 * rbf(lengthscale=0.8)";

/// `1.7 · rbf(lengthscale = 0.8)`
pub(crate) fn rbf(x: &[f64], z: &[f64]) -> f64 {
    let squared: f64 = x.iter().zip(z).map(|(x, z)| (x - z).powi(2)).sum();
    1.7 * (-0.5 * squared / 0.64).exp()
}

/// Inputs uniform in a cube of side 4, noisy latent signal.
pub(crate) struct Problem {
    pub(crate) inputs: Mat<f64>,
    pub(crate) signal: Vec<f64>,
}

impl Problem {
    pub(crate) fn new(count: usize, dim: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let cube = Uniform::new(-2.0, 2.0).unwrap();
        let inputs = Mat::from_fn(count, dim, |_, _| cube.sample(&mut rng));
        let signal = (0..count).map(|i| {
            let noise: f64 = StandardNormal.sample(&mut rng);
            let wave: f64 = (0..dim).map(|d| (2.0 * inputs[(i, d)] + d as f64).sin()).sum();
            wave + 0.3 * noise
        });
        let signal = signal.collect();
        Self { inputs, signal }
    }

    /// Labels −1 and 1.
    pub(crate) fn signs(&self) -> Vec<f64> {
        self.signal.iter().map(|&f| if f > 0.2 { 1.0 } else { -1.0 }).collect()
    }

    pub(crate) fn counts(&self) -> Vec<f64> {
        self.signal.iter().map(|&f| (1.0 + f).exp().round()).collect()
    }

    pub(crate) fn table(&self) -> Table {
        table(&self.inputs)
    }

    /// First `count` inputs, slightly moved.
    pub(crate) fn inducing(&self, count: usize) -> InducingInputs {
        let z = Mat::from_fn(count, self.inputs.ncols(), |i, d| self.inputs[(i, d)] + 0.05);
        InducingInputs::points(z.as_ref()).unwrap()
    }

    pub(crate) fn all_inputs(&self) -> InducingInputs {
        InducingInputs::points(self.inputs.as_ref()).unwrap()
    }
}

pub(crate) fn table(points: &Mat<f64>) -> Table {
    (0..points.nrows()).map(|i| (0..points.ncols()).map(|d| points[(i, d)]).collect()).collect()
}

pub(crate) fn model(likelihood: &str, inputs: InducingInputs) -> PowerEp {
    let kernel = gp_kernels::parse(RBF).unwrap();
    let process = SparseProcess::new(kernel, inputs).unwrap();
    let likelihood: Box<dyn Likelihood> = gp_likelihoods::parse(likelihood).unwrap();
    PowerEp::new(vec![process], likelihood).unwrap().with_jitter(JitterPolicy::none())
}

pub(crate) fn tight() -> EpOptions {
    EpOptions { tolerance: 1e-12, log_z_tolerance: 1e-13, max_sweeps: 3000, ..EpOptions::default() }
}

pub(crate) fn converged(model: &PowerEp, data: &dyn gp_ep::DataSource, options: &EpOptions) -> BatchEp {
    let mut ep = BatchEp::new(model, data).unwrap();
    let end = ep.converge(model, options).unwrap();
    assert!(end.converged, "{end:?}");
    ep
}

#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(1.0);
    assert!((found - expected).abs() <= tolerance * scale, "found {found}, expected {expected}");
}
