//! Standard normal on an interval.

use super::normal::{HALF_LN_TAU, log_normal_cdf_difference, mills};
use super::{inverse_mills, inverse_mills_excess, log_normal_cdf};
use crate::quadrature::GaussLegendre;

/// Standard normal on `(a, b)`, finite or infinite. A shift by δ changes the log mass by
/// `−mean · δ + ½ curvature · δ² + …`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NormalInterval {
    /// `ln(Φ(b) − Φ(a))`
    pub log_mass: f64,
    /// `φ(a)/(Φ(b) − Φ(a))`: −∂ log mass/∂a.
    pub at_lower: f64,
    /// `φ(b)/(Φ(b) − Φ(a))`: ∂ log mass/∂b.
    pub at_upper: f64,
    /// Mean on the interval.
    pub mean: f64,
    /// Variance less 1, between −1 and 0.
    pub curvature: f64,
}

impl NormalInterval {
    /// Interval from a to b; all NaN unless `a < b`.
    #[must_use]
    pub fn new(a: f64, b: f64) -> Self {
        let reflected = a + b < 0.0;
        let found = if a.is_nan() || b.is_nan() || a >= b {
            Self {
                log_mass: f64::NAN,
                at_lower: f64::NAN,
                at_upper: f64::NAN,
                mean: f64::NAN,
                curvature: f64::NAN,
            }
        } else if reflected {
            Self::mostly_above(-b, -a)
        } else {
            Self::mostly_above(a, b)
        };
        if reflected { found.reflected() } else { found }
    }

    fn reflected(self) -> Self {
        Self { at_lower: self.at_upper, at_upper: self.at_lower, mean: -self.mean, ..self }
    }

    /// Case `a < b`, `a + b ≥ 0`.
    fn mostly_above(a: f64, b: f64) -> Self {
        if b == f64::INFINITY {
            return Self::above(a);
        }
        let (width, fall) = (b - a, 0.5 * (b - a) * (a + b));
        if width < 1.0 && fall < 1.0 {
            return Self::narrow(a, b);
        }
        let log_mass = log_normal_cdf_difference(a, b);
        let [at_lower, at_upper] = [a, b].map(|x| (-HALF_LN_TAU - 0.5 * x * x - log_mass).exp());
        let (mean, curvature) = if a > 0.0 {
            Self::tail(a, b, (-fall).exp())
        } else {
            // Around 0 and with width ≥ 1, no term is large.
            let mean = at_lower - at_upper;
            (mean, a * at_lower - b * at_upper - mean * mean)
        };
        Self { log_mass, at_lower, at_upper, mean, curvature }
    }

    fn above(a: f64) -> Self {
        if a == f64::NEG_INFINITY {
            return Self { log_mass: 0.0, at_lower: 0.0, at_upper: 0.0, mean: 0.0, curvature: 0.0 };
        }
        let ratio = inverse_mills(-a);
        let curvature = -ratio * inverse_mills_excess(-a);
        Self { log_mass: log_normal_cdf(-a), at_lower: ratio, at_upper: 0.0, mean: ratio, curvature }
    }

    /// Integrates relative to a: end ratios nearly cancel.
    fn narrow(a: f64, b: f64) -> Self {
        let relative = |s: f64| (-s * (a + 0.5 * s)).exp();
        let nodes = GaussLegendre::shared().nodes_between(0.0, b - a).map(|(s, w)| (s, w * relative(s)));
        let mass: f64 = nodes.iter().map(|(_, w)| w).sum();
        let along = nodes.iter().map(|(s, w)| w * s).sum::<f64>() / mass;
        let spread = nodes.iter().map(|(s, w)| w * (s - along) * (s - along)).sum::<f64>() / mass;
        Self {
            log_mass: mass.ln() - HALF_LN_TAU - 0.5 * a * a,
            at_lower: 1.0 / mass,
            at_upper: relative(b - a) / mass,
            mean: a + along,
            curvature: spread - 1.0,
        }
    }

    /// Mean and curvature for `0 < a < b`, `decay = φ(b)/φ(a)` well below 1.
    fn tail(a: f64, b: f64, decay: f64) -> (f64, f64) {
        // Interval above a less a share of that above b. With x = φ(a)/mass, x − a and its counterpart are positive and
        // small, so neither is a difference.
        let share = decay * mills(b) / mills(a);
        let alone = 1.0 / mills(a);
        let lower = alone / (1.0 - share);
        let upper = decay * lower;
        let excess = inverse_mills_excess(-a) + alone * share / (1.0 - share);
        (lower - upper, -lower * excess - upper * (upper + b - 2.0 * lower))
    }
}
