//! Counts with exponential link.

use gp_optim::{Parameter, Transform};
use rand::Rng;

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
use crate::support::Support;
use crate::workspace::Workspace;

/// `p(y | f) = λʸ e^{−λ} / y!`, rate `λ = exp(f + offset)`; parameter `offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Poisson {
    params: [Parameter; 1],
}

impl Poisson {
    /// Likelihood with rate `exp(offset)` at latent 0.
    ///
    /// # Errors
    /// [`LikelihoodError::Parameter`] for a non-finite offset.
    pub fn new(offset: f64) -> Result<Self, LikelihoodError> {
        Ok(Self { params: [Parameter::scalar("offset", offset, Transform::Identity)?] })
    }

    /// Registry entry.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("poisson", "counts of rate exp(f + offset)", |_| Ok(Box::new(Self::new(0.0)?)))
    }

    fn offset(&self) -> f64 {
        self.params[0].value()
    }

    fn rate(&self, f: &[f64]) -> f64 {
        (f[0] + self.offset()).exp()
    }
}

impl Described for Poisson {
    fn name(&self) -> &'static str {
        "poisson"
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

impl Density for Poisson {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let log_rate = f(0) + theta(0);
        counts::log_p(y[0], log_rate, || log_rate.exp())
    }

    fn bend(&self, y: &[f64]) -> Option<f64> {
        // The peak is at f = ln y; ½ keeps it finite for y = 0.
        Some((y[0] + 0.5).ln() - self.offset())
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

    /// `y μ − E[λ] − ln y!`, `μ = m + offset`, `E[λ] = exp(μ + v/2)`.
    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let mean = q[0].mean() + self.offset();
        let (value, slope, rate) = counts::expected_log_p(y[0], mean, q[0].variance());
        out.set(value, slope, -0.5 * rate, &[slope]);
        true
    }

    fn predictive_closed_form(
        &self,
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        out[0] = counts::log_normal_count_moments(q[0].mean() + self.offset(), q[0].variance(), 0.0);
        true
    }
}
