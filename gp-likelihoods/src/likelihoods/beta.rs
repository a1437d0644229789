//! Proportions between 0 and 1.

use gp_optim::{Parameter, Transform};
use rand::Rng;
use rand_distr::Distribution;

use crate::density::Density;
use crate::derivatives::ObservationMoments;
use crate::entry::LikelihoodEntry;
use crate::error::LikelihoodError;
use crate::likelihood::Described;
use crate::parameters_in;
use crate::scalar::Scalar;
use crate::special::{digamma, incomplete_beta, logistic};
use crate::support::Support;

/// Proportions with mean `μ = 1/(1 + exp(−f))`, variance `μ (1 − μ)/(1 + precision)`, shapes `a = precision μ`,
/// `b = precision (1 − μ)`; parameter `precision`.
///
/// Unimodal in f, but not log-concave.
#[derive(Clone, Debug, PartialEq)]
pub struct Beta {
    params: [Parameter; 1],
}

impl Beta {
    /// Likelihood with this precision.
    ///
    /// # Errors
    /// [`LikelihoodError::Parameter`] unless positive and finite.
    pub fn new(precision: f64) -> Result<Self, LikelihoodError> {
        Ok(Self { params: [Parameter::scalar("precision", precision, Transform::Positive)?] })
    }

    /// Registry entry.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("beta", "shares between 0 and 1 with log odds f of the mean", |_| {
            Ok(Box::new(Self::new(5.0)?))
        })
    }

    fn precision(&self) -> f64 {
        self.params[0].value()
    }

    /// One is 0 for extreme f.
    fn shapes(&self, f: f64) -> (f64, f64) {
        (self.precision() * logistic(f), self.precision() * logistic(-f))
    }
}

impl Described for Beta {
    fn name(&self) -> &'static str {
        "beta"
    }

    parameters_in! { params }

    fn support(&self) -> Support {
        Support::UnitInterval
    }

    fn grows_with_latent(&self) -> bool {
        true
    }
}

impl Density for Beta {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let (f, precision) = (f(0), theta(0));
        let (log_y, log_rest) = (y[0].ln(), (-y[0]).ln_1p());
        let (log_mean, log_other) = (-(-f).log1p_exp(), -f.log1p_exp());
        let (a, b) = (precision * log_mean.exp(), precision * log_other.exp());
        // Γ(a) = Γ(1 + a)/a, since a may be 0.
        let log_a_b = precision.ln() * 2.0 + log_mean + log_other;
        precision.ln_gamma() + log_a_b - (a + 1.0).ln_gamma() - (b + 1.0).ln_gamma()
            + a * log_y
            + b * log_rest
            - (log_y + log_rest)
    }

    fn params_closed_form(&self, y: &[f64], f: &[f64], out: &mut [f64]) -> bool {
        let (a, b) = self.shapes(f[0]);
        if a == 0.0 || b == 0.0 {
            return false;
        }
        let (mean, other) = (logistic(f[0]), logistic(-f[0]));
        out[0] = digamma(self.precision())
            + mean * (y[0].ln() - digamma(a))
            + other * ((-y[0]).ln_1p() - digamma(b));
        true
    }

    fn bend(&self, y: &[f64]) -> Option<f64> {
        Some(y[0].ln() - (-y[0]).ln_1p())
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let mean = logistic(f[0]);
        out[0] = ObservationMoments { mean, variance: mean * logistic(-f[0]) / (1.0 + self.precision()) };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        let (a, b) = self.shapes(f[0]);
        if y <= 0.0 || b == 0.0 && y < 1.0 {
            0.0
        } else if y >= 1.0 || a == 0.0 {
            1.0
        } else {
            incomplete_beta(a, b, y)
        }
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let (a, b) = self.shapes(f[0]);
        let draw = rand_distr::Beta::new(a, b).ok()?.sample(rng);
        // Draws with small shapes may round to 0 or 1.
        out[0] = draw.clamp(f64::MIN_POSITIVE, 1.0 - 0.5 * f64::EPSILON);
        Some(())
    }
}
