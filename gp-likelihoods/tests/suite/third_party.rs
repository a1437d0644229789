//! README's external likelihood.

use gp_likelihoods::testkit::LikelihoodKit;
use gp_likelihoods::{
    Density, Described, LikelihoodEntry, LikelihoodError, ObservationMoments, Scalar, Support,
};
use gp_optim::{Parameter, Transform};
use rand::{Rng, RngExt};
use std::f64::consts::{FRAC_2_PI, PI};

/// `p(y | f) = 1/(π s cosh((y − f)/s))`.
#[derive(Clone, Debug)]
struct Sech {
    params: [Parameter; 1],
}

impl Sech {
    fn new(scale: f64) -> Result<Self, LikelihoodError> {
        Ok(Self { params: [Parameter::scalar("scale", scale, Transform::Positive)?] })
    }

    fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("sech", "between a Gaussian and Laplace's noise", |_| {
            Ok(Box::new(Self::new(1.0)?))
        })
    }

    fn scale(&self) -> f64 {
        self.params[0].value()
    }
}

impl Described for Sech {
    fn name(&self) -> &'static str {
        "sech"
    }
    fn parameters(&self) -> &[Parameter] {
        &self.params
    }
    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.params
    }
    fn support(&self) -> Support {
        Support::Real
    }
    fn is_log_concave(&self) -> bool {
        true
    }
}

impl Density for Sech {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let r = (f(0) - y[0]) / theta(0);
        -(r + (r * -2.0).log1p_exp() + theta(0).ln()) + FRAC_2_PI.ln()
    }
    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        out[0] = ObservationMoments { mean: f[0], variance: (0.5 * PI * self.scale()).powi(2) };
    }
    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        FRAC_2_PI * ((y - f[0]) / self.scale()).exp().atan()
    }
    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let u: f64 = rng.random();
        out[0] = f[0] + self.scale() * (0.5 * PI * u).tan().ln();
        Some(())
    }
}

#[test]
fn a_likelihood_from_outside_conforms() {
    for scale in [0.5, 1.3] {
        let kit = LikelihoodKit::new().with(Sech::entry());
        kit.check(&Sech::new(scale).unwrap()).unwrap_or_else(|failures| panic!("{failures}"));
    }
}
