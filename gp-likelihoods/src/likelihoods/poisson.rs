//! Counts with an exponential link: the log-Gaussian Cox process.

use gp_optim::{Parameter, Transform};
use rand::Rng;
use rand_distr::Distribution;

use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::{Described, ObservationMoments, Slopes};
use crate::one_latent::OneLatent;
use crate::scalar::Scalar;
use crate::special::{incomplete_gamma, ln_gamma};
use crate::support::Support;

/// `p(y | f) = λʸ e^{−λ} / y!` with the rate `λ = exp(f + offset)` and one parameter, `offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Poisson {
    params: [Parameter; 1],
}

impl Poisson {
    /// Counts whose rate is `exp(offset)` where the latent is 0.
    ///
    /// # Errors
    /// [`LikelihoodError::Parameter`] for an offset that is not finite.
    pub fn new(offset: f64) -> Result<Self, LikelihoodError> {
        Ok(Self { params: [Parameter::scalar("offset", offset, Transform::Identity)?] })
    }

    fn offset(&self) -> f64 {
        self.params[0].value()
    }
}

impl Described for Poisson {
    fn name(&self) -> &'static str {
        "poisson"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.params
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.params
    }

    fn support(&self) -> Support {
        Support::Counts
    }

    fn is_log_concave(&self) -> bool {
        true
    }
}

impl OneLatent for Poisson {
    fn log_p<S: Scalar>(&self, y: f64, f: S, theta: impl Fn(usize) -> S) -> S {
        let log_rate = f + theta(0);
        log_rate * y - log_rate.exp() - ln_gamma(y + 1.0)
    }

    fn bend(&self, y: f64) -> Option<f64> {
        // The peak in f is at ln y; half a count keeps it finite at 0.
        Some((y + 0.5).ln() - self.offset())
    }

    fn moments_given(&self, f: f64) -> ObservationMoments {
        let rate = (f + self.offset()).exp();
        ObservationMoments { mean: rate, variance: rate }
    }

    fn cdf_given(&self, y: f64, f: f64) -> f64 {
        if y < 0.0 { 0.0 } else { incomplete_gamma(y.floor() + 1.0, (f + self.offset()).exp()).1 }
    }

    fn sample_given(&self, f: f64, rng: &mut dyn Rng) -> Option<f64> {
        let rate = (f + self.offset()).exp();
        if rate == 0.0 {
            return Some(0.0);
        }
        rand_distr::Poisson::new(rate).ok().map(|counts| counts.sample(rng))
    }

    /// `y μ − E[λ] − ln y!` with `μ = m + offset` and `E[λ] = exp(μ + v/2)`.
    fn expected_closed_form(&self, y: f64, q: Latent, out: &mut Slopes) -> bool {
        let mean = q.mean() + self.offset();
        let rate = (mean + 0.5 * q.variance()).exp();
        out.set(y * mean - rate - ln_gamma(y + 1.0), y - rate, -0.5 * rate, &[y - rate]);
        true
    }

    /// The moments of a log-normal rate.
    fn predictive_closed_form(&self, q: Latent) -> Option<ObservationMoments> {
        let rate = (q.mean() + self.offset() + 0.5 * q.variance()).exp();
        Some(ObservationMoments { mean: rate, variance: rate + rate * rate * q.variance().exp_m1() })
    }
}
