//! Gaussian noise with input-dependent variance.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::crossing::{Among, crossing};
use crate::defaults::{Shape, tilted_along};
use crate::density::Density;
use crate::derivatives::{LatentDerivatives, ObservationMoments};
use crate::entry::LikelihoodEntry;
use crate::gaussian;
use crate::latent::Latent;
use crate::likelihood::Described;
use crate::link::Link;
use crate::quadrature::{GridNodes, grid_for};
use crate::scalar::{Jet2, Scalar};
use crate::special::{HALF_LN_TAU, standard_normal_cdf, standard_normal_quantile};
use crate::support::Support;
use crate::workspace::Workspace;

/// Strip where variances have positive real part.
const STRIP: f64 = std::f64::consts::FRAC_PI_2;
/// Step in standard deviations.
const STEP: f64 = 0.25;

/// Noise `p(y | f) = N(y; f₀, exp f₁)`: mean f₀, log variance f₁.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heteroscedastic;

impl Heteroscedastic {
    /// Registry entry.
    #[must_use]
    pub fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("heteroscedastic", "real numbers about f0 with variance exp(f1)", |_| {
            Ok(Box::new(Self))
        })
        .with_aliases(&["heteroskedastic"])
    }
}

impl Described for Heteroscedastic {
    fn name(&self) -> &'static str {
        "heteroscedastic"
    }

    fn latents(&self) -> usize {
        2
    }

    fn latent_name(&self, latent: usize) -> Option<String> {
        ["mean", "log variance"].get(latent).map(|&name| name.to_owned())
    }

    fn support(&self) -> Support {
        Support::Real
    }

    fn link(&self) -> Link {
        Link::Identity
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

    fn cdf_closed_form(&self, q: &[Latent], _output: usize, y: f64) -> Option<f64> {
        Some(cdf(q, grid(q)?, y)).filter(|found| !found.is_nan())
    }

    fn quantile_closed_form(&self, q: &[Latent], _output: usize, probability: f64) -> Option<f64> {
        let nodes = grid(q)?;
        let deviation = (q[0].variance() + q[1].mean().exp()).sqrt();
        let start = q[0].mean() + deviation * standard_normal_quantile(probability).ok()?;
        let mut excess = |y: f64| Ok(cdf(q, nodes, y) - probability);
        crossing(Among::Reals, (start, STEP * deviation), &mut excess).ok().filter(|found| found.is_finite())
    }

    /// `−½ (ln 2π + m₁ + E[r²] E[e^{−f₁}])`, `E[r²] = (y − m₀)² + v₀`, `E[e^{−f₁}] = exp(v₁/2 − m₁)`.
    fn expected_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        _ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
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

    /// Closed form in the mean latent.
    fn tilted_closed_form(
        &self,
        y: &[f64],
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> bool {
        let (residual, v) = (y[0] - q[0].mean(), q[0].variance());
        let inner = |log_variance: f64| {
            let [residual, v] = [residual, v].map(Jet2::constant);
            let jet = gaussian::log_tilted(residual, v, Jet2::variable(log_variance), power);
            [jet.value, jet.first, jet.second]
        };
        // The density peaks where the variance is the squared residual.
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

fn grid(q: &[Latent]) -> Option<&'static GridNodes> {
    grid_for(STRIP / q[1].variance().sqrt())
}

/// `P(y' ≤ y) = ∫ Φ((y − m₀) / √(v₀ + exp f₁)) N(f₁; m₁, v₁) df₁`
fn cdf(q: &[Latent], nodes: &GridNodes, y: f64) -> f64 {
    let (residual, v) = (y - q[0].mean(), q[0].variance());
    let (middle, deviation) = (q[1].mean(), q[1].variance().sqrt());
    let given = |t: f64| standard_normal_cdf(residual / (v + (middle + deviation * t).exp()).sqrt());
    nodes.iter().flat_map(|(t, weights)| t.iter().zip(weights)).map(|(&t, weight)| weight * given(t)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_two_sums(q: &[Latent], y: f64) -> f64 {
        const REACH: f64 = 9.0;
        let along = |count: usize| {
            let step = 2.0 * REACH / count as f64;
            let node = move |i: usize| i as f64 * step - REACH;
            (0..=count).map(move |i| (node(i), step * (-0.5 * node(i).powi(2) - HALF_LN_TAU).exp()))
        };
        let at = |q: Latent, t: f64| q.mean() + q.variance().sqrt() * t;
        let given = |t: f64| -> f64 {
            let deviation = (0.5 * at(q[1], t)).exp();
            along(1800).map(|(s, weight)| weight * standard_normal_cdf((y - at(q[0], s)) / deviation)).sum()
        };
        along(180).map(|(t, weight)| weight * given(t)).sum()
    }

    #[test]
    fn one_integral_is_that_over_both_latents() {
        for (means, variances) in
            [([0.3, -1.0], [0.5, 0.2]), ([-2.0, 0.5], [0.01, 1.0]), ([10.0, -3.0], [2.0, 2.5])]
        {
            let q = [0, 1].map(|i| Latent::new(means[i], variances[i]).unwrap());
            let mut last = f64::NEG_INFINITY;
            for probability in [0.01, 0.2, 0.5, 0.9, 0.975] {
                let y = Heteroscedastic.quantile_closed_form(&q, 0, probability).unwrap();
                let found = Heteroscedastic.cdf_closed_form(&q, 0, y).unwrap();
                assert!((found - probability).abs() < 1e-13, "{found} {probability}");
                // Fine enough for these digits, even with the smallest noise.
                let other = by_two_sums(&q, y);
                assert!((other - probability).abs() < 1e-8, "{means:?} {variances:?}: {other} {probability}");
                assert!(y > last);
                last = y;
            }
        }
    }

    #[test]
    fn noise_that_is_known_is_gaussian_noise() {
        let q = [Latent::new(1.0, 0.5).unwrap(), Latent::new(0.25f64.ln(), 0.0).unwrap()];
        let y = Heteroscedastic.quantile_closed_form(&q, 0, 0.975).unwrap();
        assert!((y - (1.0 + 1.959_963_984_540_054 * 0.75f64.sqrt())).abs() < 1e-12, "{y}");
    }

    #[test]
    fn noise_of_which_little_is_known_takes_the_rules_over_both() {
        let q = [Latent::new(0.0, 1.0).unwrap(), Latent::new(0.0, 25.0).unwrap()];
        assert!(Heteroscedastic.quantile_closed_form(&q, 0, 0.5).is_none());
        assert!(Heteroscedastic.cdf_closed_form(&q, 0, 0.0).is_none());
    }
}
