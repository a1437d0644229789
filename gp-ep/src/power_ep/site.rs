//! Sites on a scalar, and their removal from Gaussians.

use serde::{Deserialize, Serialize};

/// Approximate factor `exp(ν a − ½ τ a²)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// τ
    pub precision: f64,
    /// ν
    pub shift: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Belief {
    pub(crate) mean: f64,
    pub(crate) variance: f64,
}

/// One latent at one observation: `a = φᵀv ~ N(μ, w)`, `f = a + N(0, s)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Marginal {
    pub(crate) projection: Belief,
    /// s
    pub(crate) residual: f64,
}

impl Site {
    pub(crate) fn scaled(self, power: f64) -> Self {
        Self { precision: power * self.precision, shift: power * self.shift }
    }

    pub(crate) fn times(self, other: Self) -> Self {
        Self { precision: self.precision + other.precision, shift: self.shift + other.shift }
    }

    pub(crate) fn towards(self, to: Self, step: f64) -> Self {
        Self {
            precision: self.precision + step * (to.precision - self.precision),
            shift: self.shift + step * (to.shift - self.shift),
        }
    }

    pub(crate) fn is_finite(self) -> bool {
        self.precision.is_finite() && self.shift.is_finite()
    }

    /// Site on a from one on f = a + N(0, s): `∫ N(f; a, s) exp(ν f − ½ τ f²) df = exp(κ + ν' a − ½ τ' a²)`;
    /// None if divergent.
    pub(crate) fn through_noise(self, s: f64) -> Option<(Self, f64)> {
        let widened = 1.0 + s * self.precision;
        let kappa = -0.5 * (s * self.precision).ln_1p() + 0.5 * s * self.shift * self.shift / widened;
        let site = Self { precision: self.precision / widened, shift: self.shift / widened };
        (widened > 0.0).then_some((site, kappa))
    }
}

impl Belief {
    /// `ν − τ m`, slope at the mean; computed first, against cancellation.
    fn pull(self, site: Site) -> f64 {
        site.shift - site.precision * self.mean
    }

    /// Product, normalised; None if not Gaussian.
    pub(crate) fn times(self, site: Site) -> Option<Self> {
        let ratio = 1.0 + site.precision * self.variance;
        // (m + v ν)/(1 + τ v)
        let mean = self.mean + self.variance * self.pull(site) / ratio;
        let sound = ratio > 0.0 && mean.is_finite();
        sound.then_some(Self { mean, variance: self.variance / ratio })
    }

    /// Quotient; None if not Gaussian.
    pub(crate) fn without(self, site: Site) -> Option<Self> {
        self.times(site.scaled(-1.0))
    }

    /// `ln E[exp(ν a − ½ τ a²)]`, if [`times`](Self::times) accepts the product.
    pub(crate) fn log_expectation(self, site: Site) -> f64 {
        let Site { precision: tau, shift: nu } = site;
        let (m, v, pull) = (self.mean, self.variance, self.pull(site));
        // ... + (ν m − ½ τ m² + ½ ν² v)/(1 + τ v)
        -0.5 * (tau * v).ln_1p() + (nu - 0.5 * tau * m) * m + 0.5 * v * pull * pull / (1.0 + tau * v)
    }

    pub(crate) fn widened(self, s: f64) -> Self {
        Self { variance: self.variance + s, ..self }
    }
}

/// Appends sites as numbers, for other processes.
pub(super) fn pack(sites: &[Site], into: &mut Vec<f64>) {
    into.extend(sites.iter().flat_map(|site| [site.precision, site.shift]));
}

pub(super) fn unpack(numbers: &[f64]) -> Vec<Site> {
    numbers.as_chunks().0.iter().map(|&[precision, shift]| Site { precision, shift }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// `∫ N(a; m, v) g(a) da` by the trapezoidal rule, exact up to rounding for smooth g.
    fn expect(belief: Belief, g: impl Fn(f64) -> f64) -> f64 {
        let s = belief.variance.sqrt();
        let step = 0.01;
        let term = |k: i32| {
            let t = step * f64::from(k);
            (-0.5 * t * t).exp() * g(belief.mean + s * t)
        };
        (-2500..=2500).map(term).sum::<f64>() * step / TAU.sqrt()
    }

    const BELIEF: Belief = Belief { mean: 0.4, variance: 0.7 };

    #[test]
    fn products_with_sites_are_those_of_quadrature() {
        for site in [(1.3, -0.8), (-0.9, 0.5), (0.0, 2.0)] {
            let site = Site { precision: site.0, shift: site.1 };
            let factor = |a: f64| (site.shift * a - 0.5 * site.precision * a * a).exp();
            let z = expect(BELIEF, factor);
            let mean = expect(BELIEF, |a| a * factor(a)) / z;
            let variance = expect(BELIEF, |a| (a - mean).powi(2) * factor(a)) / z;
            let product = BELIEF.times(site).unwrap();
            // Tolerances: rounding of sums of 5001 terms.
            assert!((BELIEF.log_expectation(site) - z.ln()).abs() < 1e-13);
            assert!((product.mean - mean).abs() < 1e-13 && (product.variance - variance).abs() < 1e-13);
            let back = product.without(site).unwrap();
            assert!(
                (back.mean - BELIEF.mean).abs() < 1e-14 && (back.variance - BELIEF.variance).abs() < 1e-14
            );
        }
        assert_eq!(BELIEF.times(Site { precision: -1.5, shift: 0.0 }), None);
    }

    #[test]
    fn sites_seen_through_noise_are_those_of_quadrature() {
        let site = Site { precision: 1.7, shift: 0.6 };
        let (seen, kappa) = site.through_noise(0.3).unwrap();
        for a in [-1.0, 0.0, 2.5] {
            let given = Belief { mean: a, variance: 0.3 };
            let expected = expect(given, |f| (site.shift * f - 0.5 * site.precision * f * f).exp()).ln();
            let found = kappa + seen.shift * a - 0.5 * seen.precision * a * a;
            assert!((found - expected).abs() < 1e-13);
        }
        assert_eq!(Site { precision: -4.0, shift: 0.0 }.through_noise(0.3), None);
    }
}
