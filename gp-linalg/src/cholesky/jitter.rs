//! Jitter policy and near-duplicate rows.

use crate::error::LinalgError;
use faer::MatRef;
use serde::{Deserialize, Serialize};

/// Jitter for numerically indefinite matrices.
///
/// Adds `0`, `first`, `first·step`, … up to `largest`, times the mean absolute diagonal, until all pivots `l_jj²` reach
/// `pivot_floor·n·ε` times their diagonal entry (less is rounding). A zero diagonal fails.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct JitterPolicy {
    /// First jitter after 0, relative.
    pub first: f64,
    /// Ratio of successive jitters, above 1.
    pub step: f64,
    /// Largest relative jitter; 0: none.
    pub largest: f64,
    /// Smallest pivot over `n·ε` times its diagonal entry; 0: any positive.
    pub pivot_floor: f64,
}

impl JitterPolicy {
    /// Limits attempts of policies from files.
    const MAX_RUNGS: f64 = 1000.0;

    /// No jitter; any positive pivot.
    pub const fn none() -> Self {
        Self { first: 1e-14, step: 10.0, largest: 0.0, pivot_floor: 0.0 }
    }

    /// `10⁻¹⁴` to `10⁻⁴` in steps of ten, pivots above rounding.
    pub const fn ladder() -> Self {
        Self { first: 1e-14, step: 10.0, largest: 1e-4, pivot_floor: 1.0 }
    }

    pub(super) fn rungs(&self) -> impl Iterator<Item = f64> + use<> {
        let Self { first, step, largest, .. } = *self;
        // Rounding of about ten multiplications must not exclude the last value.
        let last = largest * (1.0 + 1e-9);
        let raised = std::iter::successors(Some(first), move |rung| Some(rung * step));
        std::iter::once(0.0).chain(raised.take_while(move |rung| *rung <= last))
    }

    pub(super) fn check(&self) -> Result<(), LinalgError> {
        let fields = [
            ("first", self.first, self.first > 0.0, "positive and finite"),
            ("step", self.step, self.step > 1.0, "above 1 and finite"),
            ("largest", self.largest, self.largest >= 0.0, "not negative and finite"),
            ("pivot_floor", self.pivot_floor, self.pivot_floor >= 0.0, "not negative and finite"),
        ];
        // Approximate, rather too many.
        let rungs = ((self.largest / self.first).ln() / self.step.ln()).max(0.0);
        let few = ("step", self.step, rungs < Self::MAX_RUNGS, "large enough for at most 1000 attempts");
        match fields.into_iter().chain([few]).find(|(_, value, holds, _)| !(*holds && value.is_finite())) {
            Some((what, value, _, requirement)) => {
                Err(LinalgError::InvalidPolicy { what, requirement, value })
            }
            None => Ok(()),
        }
    }
}

impl Default for JitterPolicy {
    fn default() -> Self {
        Self::ladder()
    }
}

pub(super) fn most_correlated(a: MatRef<'_, f64>, pivot: usize) -> Option<(usize, usize, f64)> {
    let entry = |i: usize, j: usize| a[(i.max(j), i.min(j))];
    let correlation = |j: usize| entry(pivot, j) / (entry(pivot, pivot) * entry(j, j)).sqrt();
    (0..a.nrows())
        .filter(|&j| j != pivot)
        .map(|j| (pivot, j, correlation(j)))
        .filter(|(_, _, correlation)| correlation.is_finite())
        .reduce(|best, other| if other.2.abs() > best.2.abs() { other } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_has_eleven_rungs_after_zero() {
        let rungs: Vec<f64> = JitterPolicy::ladder().rungs().collect();
        assert_eq!(rungs.len(), 12);
        assert_eq!(&rungs[..2], &[0.0, 1e-14]);
        assert!((rungs[11] / 1e-4 - 1.0).abs() < 1e-12);
        assert_eq!(JitterPolicy::none().rungs().collect::<Vec<_>>(), [0.0]);
    }

    #[test]
    fn contradictory_policies_are_named() {
        let policy = JitterPolicy { step: 1.0, ..JitterPolicy::ladder() };
        assert!(matches!(policy.check(), Err(LinalgError::InvalidPolicy { what: "step", .. })));
        let policy = JitterPolicy { largest: f64::NAN, ..JitterPolicy::ladder() };
        assert!(matches!(policy.check(), Err(LinalgError::InvalidPolicy { what: "largest", .. })));
        assert_eq!(JitterPolicy::none().check(), Ok(()));
    }
}
