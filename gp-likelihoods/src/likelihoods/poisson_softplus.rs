//! Counts with softplus link.

use gp_optim::{Parameter, Transform};
use rand::Rng;

use crate::counts;
use crate::density::Density;
use crate::derivatives::ObservationMoments;
use crate::entry::LikelihoodEntry;
use crate::error::LikelihoodError;
use crate::likelihood::Described;
use crate::parameters_in;
use crate::scalar::Scalar;
use crate::special::log1p_exp;
use crate::support::Support;

/// `p(y | f) = λʸ e^{−λ} / y!`, rate `λ = ln(1 + exp(f + offset))`; parameter `offset`.
///
/// Like [`Poisson`](crate::Poisson) at small rates; `λ ≈ f + offset` at large ones.
#[derive(Clone, Debug, PartialEq)]
pub struct PoissonSoftplus {
    params: [Parameter; 1],
}

impl PoissonSoftplus {
    /// Likelihood with rate `ln(1 + exp(offset))` at latent 0.
    ///
    /// # Errors
    /// [`LikelihoodError::Parameter`] for a non-finite offset.
    pub fn new(offset: f64) -> Result<Self, LikelihoodError> {
        Ok(Self { params: [Parameter::scalar("offset", offset, Transform::Identity)?] })
    }

    /// Registry entry.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("poisson_softplus", "counts of rate ln(1 + exp(f + offset))", |_| {
            Ok(Box::new(Self::new(0.0)?))
        })
        .with_aliases(&["softplus"])
    }

    fn offset(&self) -> f64 {
        self.params[0].value()
    }

    fn rate(&self, f: &[f64]) -> f64 {
        log1p_exp(f[0] + self.offset())
    }
}

impl Described for PoissonSoftplus {
    fn name(&self) -> &'static str {
        "poisson_softplus"
    }

    parameters_in! { params }

    fn support(&self) -> Support {
        Support::Counts
    }

    fn is_log_concave(&self) -> bool {
        true
    }

    fn grows_with_latent(&self) -> bool {
        true
    }
}

impl Density for PoissonSoftplus {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let x = f(0) + theta(0);
        counts::log_p(y[0], x.log_softplus(), || x.log1p_exp())
    }

    fn bend(&self, y: &[f64]) -> Option<f64> {
        let rate = y[0] + 0.5;
        Some(rate + (-(-rate).exp()).ln_1p() - self.offset())
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        out[0] = counts::moments(self.rate(f));
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        counts::cdf(y, self.rate(f))
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        counts::sample(self.rate(f), rng, out)
    }
}
