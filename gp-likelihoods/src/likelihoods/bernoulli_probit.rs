//! Binary classification with a probit link.

use rand::Rng;

use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::entry::LikelihoodEntry;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::quadrature::LANES;
use crate::scalar::Scalar;
use crate::signs;
use crate::special::{
    inverse_mills, inverse_mills_excess, log_normal_cdf, log_normal_cdf_slopes_of_many, standard_normal_cdf,
};
use crate::support::Support;
use crate::workspace::Workspace;

/// `p(y | f) = Φ(y f)`, labels −1 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BernoulliProbit;

impl Described for BernoulliProbit {
    fn name(&self) -> &'static str {
        "bernoulli_probit"
    }

    fn support(&self) -> Support {
        Support::Signs
    }

    fn is_log_concave(&self) -> bool {
        true
    }
}

impl Density for BernoulliProbit {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, _theta: impl Fn(usize) -> S) -> S {
        (f(0) * y[0]).log_normal_cdf()
    }

    fn bend(&self, _y: &[f64]) -> Option<f64> {
        Some(0.0)
    }

    /// Imaginary part of Φ's nearest zeros, 1.92 ± 2.82i.
    fn strip(&self) -> Option<f64> {
        Some(2.8)
    }

    fn growth(&self) -> Option<f64> {
        Some(1.0)
    }

    fn slopes_of_many(&self, y: &[f64], f: &[f64; LANES]) -> [[f64; LANES]; 3] {
        let [value, first, second] = log_normal_cdf_slopes_of_many(&f.map(|f| y[0] * f));
        [value, first.map(|slope| y[0] * slope), second]
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        out[0] = signs::moments(standard_normal_cdf(f[0]), standard_normal_cdf(-f[0]));
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        signs::cdf(y, standard_normal_cdf(-f[0]))
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        signs::sample(standard_normal_cdf(f[0]), rng, out)
    }

    /// `ln Φ(z)` with `z = y m / √(1 + v)`.
    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        if power != 1.0 {
            return false;
        }
        let (y, b) = (y[0], 1.0 + q[0].variance());
        let z = y * q[0].mean() / b.sqrt();
        let by_mean = y * inverse_mills(z) / b.sqrt();
        out.set(log_normal_cdf(z), by_mean, -0.5 * inverse_mills(z) * z / b, &[]);
        true
    }

    fn predictive_closed_form(
        &self,
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        let z = q[0].mean() / (1.0 + q[0].variance()).sqrt();
        out[0] = signs::moments(standard_normal_cdf(z), standard_normal_cdf(-z));
        true
    }
}

impl BernoulliProbit {
    /// Registry entry.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("bernoulli_probit", "labels -1 and 1, p(y | f) = Φ(y f)", |_| {
            Ok(Box::new(Self))
        })
        .with_aliases(&["probit", "bernoulli"])
    }

    /// `−∂² ln Z/∂m²` at power 1, accurate for improbable labels.
    #[must_use]
    pub fn tilted_curvature(&self, y: f64, q: Latent) -> f64 {
        let b = 1.0 + q.variance();
        let z = y * q.mean() / b.sqrt();
        inverse_mills(z) * inverse_mills_excess(z) / b
    }
}
