//! Two classes through the normal distribution function.

use gp_optim::Parameter;
use rand::Rng;

use crate::latent::Latent;
use crate::likelihood::{Described, ObservationMoments, Slopes};
use crate::one_latent::OneLatent;
use crate::scalar::Scalar;
use crate::signs;
use crate::special::{inverse_mills, inverse_mills_excess, log_normal_cdf, standard_normal_cdf};
use crate::support::Support;

/// `p(y | f) = Φ(y f)` for labels y = −1 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BernoulliProbit;

impl Described for BernoulliProbit {
    fn name(&self) -> &'static str {
        "bernoulli_probit"
    }

    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut []
    }

    fn support(&self) -> Support {
        Support::Signs
    }

    fn is_log_concave(&self) -> bool {
        true
    }
}

impl OneLatent for BernoulliProbit {
    fn log_p<S: Scalar>(&self, y: f64, f: S, _theta: impl Fn(usize) -> S) -> S {
        (f * y).log_normal_cdf()
    }

    fn bend(&self, _y: f64) -> Option<f64> {
        Some(0.0)
    }

    fn moments_given(&self, f: f64) -> ObservationMoments {
        signs::moments(standard_normal_cdf(f), standard_normal_cdf(-f))
    }

    fn cdf_given(&self, y: f64, f: f64) -> f64 {
        signs::cdf(y, standard_normal_cdf(-f))
    }

    fn sample_given(&self, f: f64, rng: &mut dyn Rng) -> Option<f64> {
        signs::sample(standard_normal_cdf(f), rng)
    }

    /// `ln Φ(z)` with `z = y m / √(1 + v)`.
    fn tilted_closed_form(&self, y: f64, q: Latent, power: f64, out: &mut Slopes) -> bool {
        if power != 1.0 {
            return false;
        }
        let b = 1.0 + q.variance();
        let z = y * q.mean() / b.sqrt();
        let by_mean = y * inverse_mills(z) / b.sqrt();
        out.set(log_normal_cdf(z), by_mean, -0.5 * inverse_mills(z) * z / b, &[]);
        true
    }

    fn predictive_closed_form(&self, q: Latent) -> Option<ObservationMoments> {
        let z = q.mean() / (1.0 + q.variance()).sqrt();
        Some(signs::moments(standard_normal_cdf(z), standard_normal_cdf(-z)))
    }
}

impl BernoulliProbit {
    /// `−∂² ln Z/∂m²` of the tilted normaliser at power 1, with its digits also where the label is hopeless.
    #[must_use]
    pub fn tilted_curvature(&self, y: f64, q: Latent) -> f64 {
        let b = 1.0 + q.variance();
        let z = y * q.mean() / b.sqrt();
        inverse_mills(z) * inverse_mills_excess(z) / b
    }
}
