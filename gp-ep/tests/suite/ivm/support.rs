//! Problems shared by tests.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use faer::{Mat, MatRef};
use gp_ep::Observations;
use gp_ep::ivm::{Ivm, IvmPosterior};
use gp_kernels::Kernel;
use gp_likelihoods::Softmax;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) struct Problem {
    pub(crate) x: Mat<f64>,
    pub(crate) y: Vec<f64>,
}

impl Problem {
    /// Classes in diagonal stripes.
    pub(crate) fn stripes(count: usize, classes: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let x = Mat::from_fn(count, 2, |_, _| rng.random_range(0.0..1.0));
        let mut label = |i: usize| {
            let height: f64 = 0.5 * (x[(i, 0)] + x[(i, 1)]) + rng.random_range(-0.05..0.05);
            (height.clamp(0.0, 0.999) * classes as f64).floor()
        };
        let y = (0..count).map(&mut label).collect();
        Self { x, y }
    }

    /// Stripes with labels −1, 1, −1.
    pub(crate) fn signs(count: usize, seed: u64) -> Self {
        let Self { x, y } = Self::stripes(count, 3, seed);
        Self { x, y: y.into_iter().map(|y| if y == 1.0 { 1.0 } else { -1.0 }).collect() }
    }

    pub(crate) fn data(&self) -> Observations<'_> {
        Observations::new(self.x.as_ref(), &self.y).unwrap()
    }

    pub(crate) fn inputs(&self) -> MatRef<'_, f64> {
        self.x.as_ref()
    }
}

pub(crate) fn kernel(text: &str) -> Box<dyn Kernel> {
    gp_kernels::parse(text).unwrap()
}

pub(crate) fn three_classes() -> Ivm {
    let kernels = [
        "2.0 * rbf(lengthscale=0.3)",
        "1.5 * matern52(lengthscale=0.5)",
        "3.0 * rbf(lengthscale=[0.4, 0.6])",
    ];
    Ivm::new(kernels.iter().map(|text| kernel(text)).collect(), Box::new(Softmax::new(3).unwrap())).unwrap()
}

/// Mean and covariance (by row) of one point's latents.
#[derive(Debug, PartialEq)]
pub(crate) struct PointBelief {
    pub(crate) mean: Vec<f64>,
    pub(crate) covariance: Vec<f64>,
}

pub(crate) fn latents(posterior: &IvmPosterior, x: MatRef<'_, f64>) -> Vec<PointBelief> {
    let beliefs = posterior.predictor().unwrap().beliefs(x).unwrap();
    let at = |i: usize| {
        let (mean, covariance) = beliefs.at(i).unwrap();
        PointBelief { mean, covariance: covariance.to_vec() }
    };
    (0..x.nrows()).map(at).collect()
}

pub(crate) fn probabilities(posterior: &IvmPosterior, x: MatRef<'_, f64>) -> Mat<f64> {
    posterior.predictor().unwrap().class_probabilities(x).unwrap()
}
