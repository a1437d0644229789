//! Overdispersed counts.

use gp_optim::{Parameter, Transform};
use rand::Rng;
use rand_distr::Distribution;

use crate::counts;
use crate::density::Density;
use crate::derivatives::ObservationMoments;
use crate::entry::LikelihoodEntry;
use crate::error::LikelihoodError;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::link::Link;
use crate::parameters_in;
use crate::scalar::Scalar;
use crate::special::{digamma, incomplete_beta, ln_gamma, ln_gamma_step, log1p_exp, logistic, trigamma};
use crate::support::Support;
use crate::workspace::Workspace;

/// Counts with mean `μ = exp(f)`, variance `μ + μ²/shape`: Poisson with gamma-distributed rate; parameter `shape`.
#[derive(Clone, Debug, PartialEq)]
pub struct NegativeBinomial {
    params: [Parameter; 1],
}

impl NegativeBinomial {
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
        LikelihoodEntry::new("negative_binomial", "counts of mean exp(f) and variance beyond it", |_| {
            Ok(Box::new(Self::new(1.0)?))
        })
        .with_aliases(&["negbin", "neg_binomial", "nbinom", "nb"])
    }

    fn shape(&self) -> f64 {
        self.params[0].value()
    }
}

impl Described for NegativeBinomial {
    fn name(&self) -> &'static str {
        "negative_binomial"
    }

    parameters_in! { params }

    fn support(&self) -> Support {
        Support::Counts
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

/// `ln(Γ(shape + y)/(Γ(shape) y!))` without cancellation.
fn log_choices<S: Scalar>(y: f64, shape: S) -> S {
    let value = |shape: f64| {
        if y > shape {
            ln_gamma_step(y + 1.0, shape - 1.0) - ln_gamma(shape)
        } else {
            ln_gamma_step(shape, y) - ln_gamma(y + 1.0)
        }
    };
    shape.through(value, |shape, _| {
        (digamma(shape + y) - digamma(shape), trigamma(shape + y) - trigamma(shape))
    })
}

impl Density for NegativeBinomial {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let (y, shape) = (y[0], theta(0));
        // p = μ/(μ + shape) is logistic in z = f − ln shape.
        let z = f(0) - shape.ln();
        log_choices(y, shape) - (-z).log1p_exp() * y - shape * z.log1p_exp()
    }

    fn params_closed_form(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> bool {
        let (y, shape) = (y[0], self.shape());
        // By z = f − ln shape, whose derivative is −1/shape.
        let z = f[0] - shape.ln();
        let by_z = y * logistic(-z) - shape * logistic(z);
        out[0] = digamma(shape + y) - digamma(shape) - log1p_exp(z) - by_z / shape;
        true
    }

    fn bend(&self, y: &[f64]) -> Option<f64> {
        Some((y[0] + 0.5).ln())
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let mean = f[0].exp();
        out[0] = ObservationMoments { mean, variance: mean + mean * mean / self.shape() };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        let failure = logistic(self.shape().ln() - f[0]);
        if y < 0.0 { 0.0 } else { incomplete_beta(self.shape(), y.floor() + 1.0, failure) }
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let rate = rand_distr::Gamma::new(self.shape(), f[0].exp() / self.shape()).ok()?.sample(rng);
        counts::sample(rate, rng, out)
    }

    fn predictive_closed_form(
        &self,
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        out[0] = counts::log_normal_count_moments(q[0].mean(), q[0].variance(), 1.0 / self.shape());
        true
    }
}
