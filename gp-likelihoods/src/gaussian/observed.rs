//! Gaussian noise as a [`Likelihood`].

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::Gaussian;
use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::entry::LikelihoodEntry;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::link::Link;
use crate::parameters_in;
use crate::scalar::Scalar;
use crate::special::{HALF_LN_TAU, standard_normal_cdf};
use crate::support::Support;
use crate::workspace::Workspace;

impl Gaussian {
    /// Registry entry.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("gaussian", "real numbers about f", |_| Ok(Box::new(Self::new(1.0)?)))
            .with_aliases(&["normal"])
    }
}

impl Described for Gaussian {
    fn name(&self) -> &'static str {
        "gaussian"
    }

    parameters_in! { params }

    fn support(&self) -> Support {
        Support::Real
    }

    fn link(&self) -> Link {
        Link::Identity
    }

    fn is_log_concave(&self) -> bool {
        true
    }

    fn gaussian_noise(&self) -> Option<&Gaussian> {
        Some(self)
    }
}

impl Density for Gaussian {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let (variance, residual) = (theta(0), f(0) - y[0]);
        -(variance.ln() + residual * (residual / variance)) * 0.5 - HALF_LN_TAU
    }

    fn bend(&self, y: &[f64]) -> Option<f64> {
        Some(y[0])
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        out[0] = ObservationMoments { mean: f[0], variance: self.variance() };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        standard_normal_cdf((y - f[0]) / self.variance().sqrt())
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let standard: f64 = StandardNormal.sample(rng);
        out[0] = f[0] + self.variance().sqrt() * standard;
        Some(())
    }

    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let found = self.expected_log_density(y[0], q[0]);
        out.set(found.value, found.by_mean, found.by_latent_variance, &[found.by_variance]);
        true
    }

    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        self.tilted(y[0], q[0], power).is_ok_and(|found| {
            out.set(found.log_z, found.by_mean, found.by_latent_variance, &[found.by_variance]);
            true
        })
    }

    fn quantile_closed_form(&self, q: &[Latent], _output: usize, probability: f64) -> Option<f64> {
        self.predictive_quantile(q[0], probability).ok()
    }

    fn cdf_closed_form(&self, q: &[Latent], _output: usize, y: f64) -> Option<f64> {
        Some(standard_normal_cdf((y - q[0].mean()) / self.predictive_variance(q[0]).sqrt()))
    }

    fn predictive_closed_form(
        &self,
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        out[0] =
            ObservationMoments { mean: self.predictive_mean(q[0]), variance: self.predictive_variance(q[0]) };
        true
    }
}
