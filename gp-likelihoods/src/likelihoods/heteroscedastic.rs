//! Gaussian noise whose variance is a function too.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::defaults::{Shape, tilted_along};
use crate::density::Density;
use crate::gaussian;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::registry::LikelihoodEntry;
use crate::scalar::{Jet2, Scalar};
use crate::slopes::{ObservationMoments, Slopes};
use crate::special::{HALF_LN_TAU, standard_normal_cdf};
use crate::support::Support;
use crate::workspace::Workspace;

/// `p(y | f) = N(y; f₀, exp f₁)`: latent 0 is the mean, latent 1 the log variance of the noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heteroscedastic;

impl Heteroscedastic {
    /// `heteroscedastic` in expressions and lists.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("heteroscedastic", "real numbers about f0 with variance exp(f1)", |_| {
            Ok(Box::new(Self))
        })
    }
}

impl Described for Heteroscedastic {
    fn name(&self) -> &'static str {
        "heteroscedastic"
    }

    fn latents(&self) -> usize {
        2
    }

    fn support(&self) -> Support {
        Support::Real
    }
}

impl Density for Heteroscedastic {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, _theta: impl Fn(usize) -> S) -> S {
        let (residual, log_variance) = (f(0) - y[0], f(1));
        -(log_variance + residual * residual * (-log_variance).exp()) * 0.5 - HALF_LN_TAU
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        out[0] = ObservationMoments { mean: f[0], variance: f[1].exp() };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        standard_normal_cdf((y - f[0]) * (-0.5 * f[1]).exp())
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        let standard: f64 = StandardNormal.sample(rng);
        out[0] = f[0] + (0.5 * f[1]).exp() * standard;
        out[0].is_finite().then_some(())
    }

    /// `−½ (ln 2π + m₁ + E[r²] E[e^{−f₁}])` with `E[r²] = (y − m₀)² + v₀` and `E[e^{−f₁}] = exp(v₁/2 − m₁)`.
    fn expected_closed_form(&self, y: &[f64], q: &[Latent], _ws: &mut Workspace, out: &mut Slopes) -> bool {
        let (mean, log_variance) = (q[0], q[1]);
        let residual = y[0] - mean.mean();
        let precision = (0.5 * log_variance.variance() - log_variance.mean()).exp();
        let scaled = (residual * residual + mean.variance()) * precision;
        out.reset(2, 0);
        out.value = -0.5 * (log_variance.mean() + scaled) - HALF_LN_TAU;
        out.by_mean.copy_from_slice(&[residual * precision, 0.5 * (scaled - 1.0)]);
        out.by_variance.copy_from_slice(&[-0.5 * precision, -0.25 * scaled]);
        true
    }

    /// The mean is integrated in closed form, as for Gaussian noise; what is left is an integral over the log variance.
    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut Slopes,
    ) -> bool {
        let (residual, v) = (y[0] - q[0].mean(), q[0].variance());
        let inner = |log_variance: f64| {
            let [residual, v] = [residual, v].map(Jet2::constant);
            let jet = gaussian::log_tilted(residual, v, Jet2::variable(log_variance), power);
            [jet.value, jet.first, jet.second]
        };
        // Over the log variance the density peaks where the variance is the squared residual.
        let peak = (residual * residual).max(f64::MIN_POSITIVE).ln();
        let shape = Shape { landmark: Some(peak), single: false, smooth: true };
        let Ok([value, by_mean, by_variance]) = tilted_along(q[1], shape, ws, inner) else { return false };
        out.reset(2, 0);
        out.value = value;
        (out.by_mean[1], out.by_variance[1]) = (by_mean, by_variance);
        for &(log_variance, weight) in ws.rule.iter().filter(|(_, weight)| *weight != 0.0) {
            let given = gaussian::tilted(residual, v, log_variance.exp(), power);
            out.by_mean[0] += weight * given.by_mean;
            out.by_variance[0] += weight * given.by_latent_variance;
        }
        true
    }

    fn predictive_closed_form(
        &self,
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut [ObservationMoments],
    ) -> bool {
        let noise = (q[1].mean() + 0.5 * q[1].variance()).exp();
        out[0] = ObservationMoments { mean: q[0].mean(), variance: q[0].variance() + noise };
        true
    }
}
