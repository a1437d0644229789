//! Two classes through the logistic function.

use gp_optim::Parameter;
use rand::Rng;

use crate::likelihood::{Described, ObservationMoments};
use crate::one_latent::OneLatent;
use crate::scalar::Scalar;
use crate::signs;
use crate::special::logistic;
use crate::support::Support;

/// `p(y | f) = 1/(1 + exp(−y f))` for labels y = −1 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BernoulliLogit;

impl Described for BernoulliLogit {
    fn name(&self) -> &'static str {
        "bernoulli_logit"
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

impl OneLatent for BernoulliLogit {
    fn log_p<S: Scalar>(&self, y: f64, f: S, _theta: impl Fn(usize) -> S) -> S {
        -(f * -y).log1p_exp()
    }

    fn bend(&self, _y: f64) -> Option<f64> {
        Some(0.0)
    }

    fn moments_given(&self, f: f64) -> ObservationMoments {
        signs::moments(logistic(f), logistic(-f))
    }

    fn cdf_given(&self, y: f64, f: f64) -> f64 {
        signs::cdf(y, logistic(-f))
    }

    fn sample_given(&self, f: f64, rng: &mut dyn Rng) -> Option<f64> {
        signs::sample(logistic(f), rng)
    }
}
