//! Gaussian noise as a likelihood like all others.

use gp_optim::Parameter;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::Gaussian;
use crate::latent::Latent;
use crate::likelihood::{Described, ObservationMoments, Slopes};
use crate::one_latent::OneLatent;
use crate::scalar::Scalar;
use crate::special::{HALF_LN_TAU, standard_normal_cdf};
use crate::support::Support;

impl Described for Gaussian {
    fn name(&self) -> &'static str {
        "gaussian"
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

impl OneLatent for Gaussian {
    fn log_p<S: Scalar>(&self, y: f64, f: S, theta: impl Fn(usize) -> S) -> S {
        let (variance, residual) = (theta(0), f - y);
        -(variance.ln() + residual * (residual / variance)) * 0.5 - HALF_LN_TAU
    }

    fn bend(&self, y: f64) -> Option<f64> {
        Some(y)
    }

    fn moments_given(&self, f: f64) -> ObservationMoments {
        ObservationMoments { mean: f, variance: self.variance() }
    }

    fn cdf_given(&self, y: f64, f: f64) -> f64 {
        standard_normal_cdf((y - f) / self.variance().sqrt())
    }

    fn sample_given(&self, f: f64, rng: &mut dyn Rng) -> Option<f64> {
        let standard: f64 = StandardNormal.sample(rng);
        Some(f + self.variance().sqrt() * standard)
    }

    fn expected_closed_form(&self, y: f64, q: Latent, out: &mut Slopes) -> bool {
        let found = self.expected_log_density(y, q);
        out.set(found.value, found.by_mean, found.by_latent_variance, &[found.by_variance]);
        true
    }

    fn tilted_closed_form(&self, y: f64, q: Latent, power: f64, out: &mut Slopes) -> bool {
        self.tilted(y, q, power).is_ok_and(|found| {
            out.set(found.log_z, found.by_mean, found.by_latent_variance, &[found.by_variance]);
            true
        })
    }

    fn predictive_closed_form(&self, q: Latent) -> Option<ObservationMoments> {
        Some(ObservationMoments { mean: self.predictive_mean(q), variance: self.predictive_variance(q) })
    }
}
