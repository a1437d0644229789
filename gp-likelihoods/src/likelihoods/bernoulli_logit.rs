//! Binary classification with a logistic link.

use rand::Rng;

use crate::density::Density;
use crate::derivatives::ObservationMoments;
use crate::entry::LikelihoodEntry;
use crate::likelihood::Described;
use crate::quadrature::LANES;
use crate::scalar::Scalar;
use crate::signs;
use crate::special::logistic;
use crate::support::Support;

/// `p(y | f) = 1/(1 + exp(−y f))`, labels −1 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BernoulliLogit;

impl BernoulliLogit {
    /// Registry entry.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("bernoulli_logit", "labels -1 and 1, log odds f", |_| Ok(Box::new(Self)))
            .with_aliases(&["logit", "logistic"])
    }
}

impl Described for BernoulliLogit {
    fn name(&self) -> &'static str {
        "bernoulli_logit"
    }

    fn support(&self) -> Support {
        Support::Signs
    }

    fn is_log_concave(&self) -> bool {
        true
    }
}

impl Density for BernoulliLogit {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, _theta: impl Fn(usize) -> S) -> S {
        -(f(0) * -y[0]).log1p_exp()
    }

    fn bend(&self, _y: &[f64]) -> Option<f64> {
        Some(0.0)
    }

    /// Zeros ±πi of `1 + exp(−f)`.
    fn strip(&self) -> Option<f64> {
        Some(std::f64::consts::PI)
    }

    /// Growth at `f + ia` ≤ `1/cos(½a)`: 13 at 0.95 of the strip; κ = 1 allows 86.
    fn growth(&self) -> Option<f64> {
        Some(1.0)
    }

    fn slopes_of_many(&self, y: &[f64], f: &[f64; LANES]) -> [[f64; LANES]; 3] {
        let odds = f.map(|f| y[0] * f);
        let fall = odds.map(|odds| (-odds.abs()).exp());
        let wrong = |k: usize| if odds[k] > 0.0 { fall[k] } else { 1.0 } / (1.0 + fall[k]);
        let value = |k: usize| odds[k].min(0.0) - fall[k].ln_1p();
        let first = |k: usize| y[0] * wrong(k);
        let second = |k: usize| -fall[k] / (1.0 + fall[k]).powi(2);
        [std::array::from_fn(value), std::array::from_fn(first), std::array::from_fn(second)]
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        out[0] = signs::moments(logistic(f[0]), logistic(-f[0]));
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        signs::cdf(y, logistic(-f[0]))
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        signs::sample(logistic(f[0]), rng, out)
    }
}
