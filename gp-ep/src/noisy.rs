//! Weighted observation under Gaussian noise: `N(y; f, s)^w = N(y; f, s/w) exp ½[(1 − w) ln 2πs − ln w]`.

use crate::error::InferenceError;
use std::f64::consts::TAU;

#[derive(Clone, Copy, Debug)]
pub(crate) struct NoisyTarget {
    pub(crate) target: f64,
    pub(crate) known_noise: f64,
    pub(crate) weight: f64,
}

impl NoisyTarget {
    pub(crate) const COLUMNS: usize = 3;

    /// Observation from columns target, known noise, weight.
    pub(crate) fn read(row: usize, columns: &[f64]) -> Result<Self, InferenceError> {
        let at = |column: usize, default: f64| columns.get(column).copied().unwrap_or(default);
        let (target, known_noise, weight) = (at(0, f64::NAN), at(1, 0.0), at(2, 1.0));
        if !target.is_finite() {
            return Err(InferenceError::TargetNotFinite { row, value: target });
        }
        if !(known_noise.is_finite() && known_noise >= 0.0) {
            return Err(InferenceError::KnownNoise { row, value: known_noise });
        }
        if !(weight.is_finite() && weight > 0.0) {
            return Err(InferenceError::Weight { row, value: weight });
        }
        Ok(Self { target, known_noise, weight })
    }
}

/// `½[(1 − w) ln 2πs − ln w]` and its derivative by s.
pub(crate) fn log_factor(weight: f64, variance: f64) -> (f64, f64) {
    let less = 1.0 - weight;
    (0.5 * (less * (TAU * variance).ln() - weight.ln()), 0.5 * less / variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_gaussians_are_gaussians_times_a_number() {
        let log_normal = |r: f64, s: f64| -0.5 * ((TAU * s).ln() + r * r / s);
        for (weight, s, r) in [(1.0, 0.3, 0.7), (2.0, 0.3, -0.4), (0.25, 5.0, 3.0)] {
            let (value, slope) = log_factor(weight, s);
            let found = log_normal(r, s / weight) + value;
            assert!((found - weight * log_normal(r, s)).abs() < 1e-14);
            let difference = (log_factor(weight, s + 1e-5).0 - log_factor(weight, s - 1e-5).0) / 2e-5;
            assert!((slope - difference).abs() < 1e-8);
        }
        assert_eq!(log_factor(1.0, 0.3), (0.0, 0.0));
    }

    #[test]
    fn columns_that_cannot_be_are_refused() {
        assert!(matches!(
            NoisyTarget::read(3, &[f64::NAN]),
            Err(InferenceError::TargetNotFinite { row: 3, .. })
        ));
        assert!(matches!(NoisyTarget::read(4, &[0.0, -1.0]), Err(InferenceError::KnownNoise { row: 4, .. })));
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let found = NoisyTarget::read(5, &[0.0, 0.0, weight]);
            assert!(matches!(found, Err(InferenceError::Weight { row: 5, .. })), "{weight}");
        }
        assert_eq!(NoisyTarget::read(0, &[2.0]).unwrap().weight, 1.0);
    }
}
