//! Powers α of factors.

use crate::error::{InferenceError, check_count};
use crate::inference::EvidenceKind;

/// Powers α of factors, in [0, 1]; 0 is variational.
#[derive(Clone, Debug, PartialEq)]
pub enum Powers {
    /// Same power everywhere.
    Same(f64),
    /// One per observation or block.
    Each(Vec<f64>),
}

impl Powers {
    /// Power of one factor; 0 if missing.
    #[must_use]
    pub fn of(&self, factor: usize) -> f64 {
        match self {
            Self::Same(power) => *power,
            Self::Each(powers) => powers.get(factor).copied().unwrap_or(0.0),
        }
    }

    /// For converged `log Z`: lower bound if all powers are 0, else estimate.
    #[must_use]
    pub fn evidence_kind(&self) -> EvidenceKind {
        if self.are_zero() { EvidenceKind::LowerBound } else { EvidenceKind::Estimate }
    }

    pub(crate) fn are_zero(&self) -> bool {
        match self {
            Self::Same(power) => *power == 0.0,
            Self::Each(powers) => powers.iter().all(|power| *power == 0.0),
        }
    }

    pub(crate) fn check(&self, factors: usize) -> Result<(), InferenceError> {
        let all = match self {
            Self::Same(power) => std::slice::from_ref(power),
            Self::Each(powers) => {
                check_count("list of powers", "entries", factors, powers.len())?;
                powers
            }
        };
        match all.iter().position(|power| !(0.0..=1.0).contains(power)) {
            None => Ok(()),
            Some(factor) => Err(InferenceError::Power { factor, value: all[factor] }),
        }
    }
}

/// `ln(1 + αx)/α` for x ≥ 0; x for negligible α.
pub(crate) fn scaled_ln_1p(power: f64, x: f64) -> f64 {
    let scaled = power * x;
    // ln(1 + t) = t (1 − t/2 + …): below ε/2 the second term is lost, and α may be too small to divide by.
    if scaled < 0.5 * f64::EPSILON { x } else { scaled.ln_1p() / power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_vanishing_powers_is_reached_without_a_jump() {
        for x in [0.0, 1e-300, 1e-9, 0.3, 1.0, 1e7] {
            for power in [0.0, 1e-320, 1e-200, 1e-30, 1e-17, 1e-16, 3e-16, 1e-12] {
                let t: f64 = power * x;
                // Two terms of the series; the next is t²/3 of x.
                let expected = x * (1.0 - 0.5 * t);
                let tolerance = 1e-15 + t * t;
                assert!((scaled_ln_1p(power, x) - expected).abs() <= tolerance * x, "{power} {x}");
            }
        }
        assert!((scaled_ln_1p(1.0, 1.0) - std::f64::consts::LN_2).abs() < 1e-16);
    }

    #[test]
    fn powers_outside_the_interval_are_refused_by_place() {
        for value in [-1e-300, 1.0 + 1e-15, f64::NAN, f64::INFINITY] {
            assert!(
                matches!(Powers::Same(value).check(3), Err(InferenceError::Power { factor: 0, .. })),
                "{value}"
            );
            let each = Powers::Each(vec![0.0, 1.0, value]);
            assert!(matches!(each.check(3), Err(InferenceError::Power { factor: 2, .. })));
        }
        let each = Powers::Each(vec![0.0, 1.0]);
        assert_eq!([each.of(0), each.of(1), each.of(2)], [0.0, 1.0, 0.0]);
        assert!(each.check(2).is_ok() && each.check(3).is_err());
    }
}
