//! Counts that vary more than their mean.

use gp_optim::{Parameter, Transform};
use rand::Rng;
use rand_distr::Distribution;

use crate::error::LikelihoodError;
use crate::likelihood::{Described, ObservationMoments};
use crate::one_latent::OneLatent;
use crate::scalar::Scalar;
use crate::special::{incomplete_beta, ln_gamma, logistic};
use crate::support::Support;

/// Counts of mean `μ = exp(f)` and variance `μ + μ²/shape`, with one parameter, `shape`.
///
/// A Poisson rate that is itself gamma distributed; as the shape grows, the Poisson likelihood.
#[derive(Clone, Debug, PartialEq)]
pub struct NegativeBinomial {
    params: [Parameter; 1],
}

impl NegativeBinomial {
    /// Counts of this shape.
    ///
    /// # Errors
    /// [`LikelihoodError::Parameter`] unless the shape is positive and finite.
    pub fn new(shape: f64) -> Result<Self, LikelihoodError> {
        Ok(Self { params: [Parameter::scalar("shape", shape, Transform::Positive)?] })
    }

    fn shape(&self) -> f64 {
        self.params[0].value()
    }
}

impl Described for NegativeBinomial {
    fn name(&self) -> &'static str {
        "negative_binomial"
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

impl OneLatent for NegativeBinomial {
    fn log_p<S: Scalar>(&self, y: f64, f: S, theta: impl Fn(usize) -> S) -> S {
        let shape = theta(0);
        // p = μ/(μ + shape) is logistic in f − ln shape: ln p = −ln(1 + e^−z), ln(1 − p) = −ln(1 + e^z).
        let z = f - shape.ln();
        let choices = (shape + y).ln_gamma() - shape.ln_gamma() - ln_gamma(y + 1.0);
        choices - (-z).log1p_exp() * y - shape * z.log1p_exp()
    }

    fn bend(&self, y: f64) -> Option<f64> {
        Some((y + 0.5).ln())
    }

    fn moments_given(&self, f: f64) -> ObservationMoments {
        let mean = f.exp();
        ObservationMoments { mean, variance: mean + mean * mean / self.shape() }
    }

    fn cdf_given(&self, y: f64, f: f64) -> f64 {
        let failure = logistic(self.shape().ln() - f);
        if y < 0.0 { 0.0 } else { incomplete_beta(self.shape(), y.floor() + 1.0, failure) }
    }

    fn sample_given(&self, f: f64, rng: &mut dyn Rng) -> Option<f64> {
        let rate = rand_distr::Gamma::new(self.shape(), f.exp() / self.shape()).ok()?.sample(rng);
        if rate == 0.0 {
            return Some(0.0);
        }
        rand_distr::Poisson::new(rate).ok().map(|counts| counts.sample(rng))
    }
}
