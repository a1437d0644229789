//! Positive observations.

use gp_optim::{Parameter, Transform};
use rand::Rng;
use rand_distr::Distribution;

use crate::counts;
use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::entry::LikelihoodEntry;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::link::Link;
use crate::parameters_in;
use crate::scalar::Scalar;
use crate::special::{digamma, incomplete_gamma, ln_gamma};
use crate::support::Support;
use crate::workspace::Workspace;

/// Positive y with mean `μ = exp(f)`, variance `μ²/shape`; parameter `shape`.
///
/// `p(y | f) = (shape/μ)^shape y^(shape−1) exp(−shape y/μ) / Γ(shape)`; exponential at shape 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Gamma {
    params: [Parameter; 1],
}

impl Gamma {
    /// Likelihood with this shape.
    ///
    /// # Errors
    /// [`LikelihoodError::Parameter`] unless positive and finite.
    pub fn new(shape: f64) -> Result<Self, LikelihoodError> {
        Ok(Self { params: [Parameter::scalar("shape", shape, Transform::Positive)?] })
    }

    /// Registry entry.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("gamma", "positive numbers of mean exp(f)", |_| Ok(Box::new(Self::new(2.0)?)))
    }

    fn shape(&self) -> f64 {
        self.params[0].value()
    }
}

impl Described for Gamma {
    fn name(&self) -> &'static str {
        "gamma"
    }

    parameters_in! { params }

    fn support(&self) -> Support {
        Support::Positive
    }

    fn link(&self) -> Link {
        Link::Log
    }

    fn is_log_concave(&self) -> bool {
        true
    }

    fn grows_with_latent(&self) -> bool {
        true
    }
}

impl Density for Gamma {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let (shape, log_y) = (theta(0), y[0].ln());
        // y/μ = exp(ln y − f).
        let log_ratio = -f(0) + log_y;
        shape * (shape.ln() + log_ratio - log_ratio.exp()) - shape.ln_gamma() - log_y
    }

    fn bend(&self, y: &[f64]) -> Option<f64> {
        Some(y[0].ln())
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let mean = f[0].exp();
        out[0] = ObservationMoments { mean, variance: mean * mean / self.shape() };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        if y <= 0.0 { 0.0 } else { incomplete_gamma(self.shape(), self.shape() * (y.ln() - f[0]).exp()).0 }
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let draw = rand_distr::Gamma::new(self.shape(), f[0].exp() / self.shape()).ok()?.sample(rng);
        // Draws with small shapes may underflow.
        out[0] = draw.max(f64::MIN_POSITIVE);
        Some(())
    }

    /// Log density at m, with `E[y/μ] = y exp(−m + v/2)`.
    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let (shape, log_y) = (self.shape(), y[0].ln());
        let log_ratio = log_y - q[0].mean();
        let ratio = (log_ratio + 0.5 * q[0].variance()).exp();
        let value = shape * (shape.ln() + log_ratio - ratio) - ln_gamma(shape) - log_y;
        let by_shape = shape.ln() + 1.0 + log_ratio - ratio - digamma(shape);
        out.set(value, shape * (ratio - 1.0), -0.5 * shape * ratio, &[by_shape]);
        true
    }

    fn predictive_closed_form(
        &self,
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        out[0] = counts::log_normal_moments(q[0].mean(), q[0].variance(), 1.0 / self.shape());
        true
    }
}
