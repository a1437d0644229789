//! Showers of a day, some days with them being missed.

use gp_likelihoods::special::standard_normal_cdf;
use gp_likelihoods::{Density, Described, LikelihoodEntry, ObservationMoments, Scalar, Support};
use gp_optim::{Parameter, Transform};
use rand::{Rng, RngExt};

/// Whether it rains is up to latent 0, `p(wet) = Φ(f₀)`; after each shower of a wet day there is another one with
/// probability `σ(f₁)`. A share `missed` of wet days is noted as dry. Each day says something of two things, with
/// `w = (1 − missed) Φ(f₀)`: `p(0 | f) = 1 − w`, and `p(y | f) = w · (1 − σ(f₁)) σ(f₁)^{y−1}` from 1 on.
#[derive(Clone, Debug)]
pub struct Showers {
    parameters: [Parameter; 1],
}

impl Showers {
    /// For a registry: `Registry::built_in().with(Showers::entry())`.
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("showers", "counts, 0 on dry days and where they were missed", |_| {
            let missed = Parameter::scalar("missed", 0.05, Transform::Interval { lo: 0.0, hi: 1.0 })?;
            Ok(Box::new(Self { parameters: [missed] }))
        })
    }

    /// The probability that showers are noted, and that there is another one.
    fn shares(&self, f: &[f64]) -> (f64, f64) {
        ((1.0 - self.parameters[0].value()) * standard_normal_cdf(f[0]), 1.0 / (1.0 + (-f[1]).exp()))
    }
}

impl Described for Showers {
    fn name(&self) -> &'static str {
        "showers"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.parameters
    }

    fn latents(&self) -> usize {
        2
    }

    fn support(&self) -> Support {
        Support::Counts
    }
}

impl Density for Showers {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let (wet, missed) = (f(0).log_normal_cdf(), theta(0));
        if y[0] == 0.0 {
            let dry = (-f(0)).log_normal_cdf();
            return dry + (missed.ln() + wet - dry).log1p_exp();
        }
        let noted = (S::constant(1.0) - missed).ln() + wet;
        noted - f(1).log1p_exp() - (-f(1)).log1p_exp() * (y[0] - 1.0)
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let (noted, again) = self.shares(f);
        let mean = noted * (1.0 + f[1].exp());
        let square = noted * (1.0 + again) * (1.0 + f[1].exp()).powi(2);
        out[0] = ObservationMoments { mean, variance: square - mean * mean };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        let (noted, again) = self.shares(f);
        if y < 0.0 { 0.0 } else { 1.0 - noted * again.powf(y.floor()) }
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let (noted, again) = self.shares(f);
        out[0] = 0.0;
        if rng.random::<f64>() < noted {
            // The number of showers y has p(y > k) = σᵏ.
            out[0] = 1.0 + ((1.0 - rng.random::<f64>()).ln() / again.ln()).floor();
        }
        out[0].is_finite().then_some(())
    }
}
