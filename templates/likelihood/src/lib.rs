//! Your own likelihood: labels of two classes, some of which are wrong.
//!
//! Replace [`Flipped`] by yours. Write its name and parameters (`Described`), its log density, and the moments,
//! distribution function and samples of an observation given its latent values; derivatives and integrals follow.

use gp_likelihoods::special::standard_normal_cdf;
use gp_likelihoods::{Density, Described, LikelihoodEntry, LikelihoodError, ObservationMoments, Scalar, Support};
use gp_optim::{Parameter, Transform};
use rand::{Rng, RngExt};

/// `p(y | f) = ε + (1 − 2ε) Φ(y f)` for labels y = ±1: a share ε of them is wrong.
#[derive(Clone, Debug)]
pub struct Flipped {
    params: [Parameter; 1],
}

impl Flipped {
    /// With a share of wrong labels, between 0 and ½.
    ///
    /// # Errors
    /// For a share outside these.
    pub fn new(share: f64) -> Result<Self, LikelihoodError> {
        let share = Parameter::scalar("share", share, Transform::Interval { lo: 0.0, hi: 0.5 })?;
        Ok(Self { params: [share] })
    }

    /// For a registry: `Registry::built_in().with(Flipped::entry())`. Parameters in an expression, such as
    /// `flipped(share=0.1)`, are read into what it returns.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("flipped", "labels of two classes, some of them wrong", |_| {
            Ok(Box::new(Self::new(0.05)?))
        })
    }

    fn probability_of_plus(&self, f: f64) -> f64 {
        let share = self.params[0].value();
        share + (1.0 - 2.0 * share) * standard_normal_cdf(f)
    }
}

impl Described for Flipped {
    fn name(&self) -> &'static str {
        "flipped"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.params
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.params
    }

    fn support(&self) -> Support {
        Support::Signs
    }
}

impl Density for Flipped {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        // Of two terms that are known by their logarithms, the logarithm of the sum.
        let right = (f(0) * y[0]).log_normal_cdf() + (theta(0) * -2.0 + 1.0).ln();
        let wrong = theta(0).ln();
        wrong + (right - wrong).log1p_exp()
    }

    /// Where the density bends: a hint to quadrature.
    fn bend(&self, _y: &[f64]) -> Option<f64> {
        Some(0.0)
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let p = self.probability_of_plus(f[0]);
        out[0] = ObservationMoments { mean: 2.0 * p - 1.0, variance: 4.0 * p * (1.0 - p) };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        match y {
            y if y < -1.0 => 0.0,
            y if y < 1.0 => 1.0 - self.probability_of_plus(f[0]),
            _ => 1.0,
        }
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        out[0] = if rng.random::<f64>() < self.probability_of_plus(f[0]) { 1.0 } else { -1.0 };
        Some(())
    }
}
