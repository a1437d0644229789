//! Test likelihoods with an unregistered name.

use gp_likelihoods::{Density, Described, Likelihood, ObservationMoments, Scalar, forward};
use rand::Rng;

#[derive(Clone, Debug)]
struct Foreign<L>(L);

pub(crate) fn foreign(of: impl Density) -> Box<dyn Likelihood> {
    Box::new(Foreign(of))
}

impl<L: Described> Described for Foreign<L> {
    fn name(&self) -> &'static str {
        "foreign"
    }

    forward! { self.0 => parameters parameters_mut least_values support link }
}

impl<L: Density> Density for Foreign<L> {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        self.0.log_p(y, f, theta)
    }
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        self.0.moments_given(f, out);
    }
    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64 {
        self.0.cdf_given(output, y, f)
    }
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        self.0.sample_given(f, rng, out)
    }
}
