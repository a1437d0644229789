//! Bijections from the real line onto a parameter's set.

use crate::error::ParameterError;
use crate::number::format_number;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Arguments with a normal `exp`: `ln(f64::MIN_POSITIVE)` to `ln(f64::MAX)`.
const EXP_RANGE: std::ops::RangeInclusive<f64> = -708.396_418_532_264_1..=709.782_712_893_384;

/// Smooth increasing map from η ∈ ℝ onto an open set of θ.
///
/// Subnormal numbers count as zero.
///
/// ```
/// use gp_optim::Transform;
/// let unit = Transform::Interval { lo: 0.0, hi: 1.0 };
/// assert_eq!(unit.to_natural(0.0), 0.5);
/// assert!(unit.to_natural(1e6) < 1.0);
/// assert_eq!(unit.to_string(), "(0, 1)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Transform {
    /// `θ = η`
    Identity,
    /// `θ = exp η`
    Positive,
    /// `θ = lo + (hi − lo) / (1 + exp(−η))`
    Interval {
        /// Lower end.
        lo: f64,
        /// Upper end.
        hi: f64,
    },
    /// `θ = lo + exp η`
    Above {
        /// Lower end.
        lo: f64,
    },
    /// `θ = hi − exp(−η)`
    Below {
        /// Upper end.
        hi: f64,
    },
}

impl Transform {
    /// Ends, possibly infinite.
    #[must_use]
    pub fn ends(self) -> (f64, f64) {
        match self {
            Self::Identity => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Positive => (0.0, f64::INFINITY),
            Self::Interval { lo, hi } => (lo, hi),
            Self::Above { lo } => (lo, f64::INFINITY),
            Self::Below { hi } => (f64::NEG_INFINITY, hi),
        }
    }

    /// `true` for a subset of `other`.
    #[must_use]
    pub fn is_within(self, other: Self) -> bool {
        let ((lo, hi), (other_lo, other_hi)) = (self.ends(), other.ends());
        other_lo <= lo && hi <= other_hi
    }

    /// Transform onto `factor` > 0 times this set.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Identity | Self::Positive => self,
            Self::Interval { lo, hi } => Self::Interval { lo: lo * factor, hi: hi * factor },
            Self::Above { lo } => Self::Above { lo: lo * factor },
            Self::Below { hi } => Self::Below { hi: hi * factor },
        }
    }

    /// Natural θ of η, always inside the set; NaN for NaN.
    #[must_use]
    pub fn to_natural(self, unconstrained: f64) -> f64 {
        let eta = unconstrained;
        let (least, greatest) = self.extremes();
        let theta = match self {
            Self::Identity => eta,
            Self::Positive => eta.exp(),
            Self::Interval { lo, hi } => interval_to_natural(eta, lo, hi),
            Self::Above { lo } => lo + eta.exp().min(f64::MAX),
            Self::Below { hi } => hi - (-eta).exp().min(f64::MAX),
        };
        if least <= greatest { theta.clamp(least, greatest) } else { theta }
    }

    /// η of θ; not finite outside.
    #[must_use]
    pub fn to_unconstrained(self, natural: f64) -> f64 {
        let theta = natural;
        match self {
            Self::Identity => theta,
            Self::Positive => theta.ln(),
            Self::Interval { lo, hi } => log_odds(theta - lo, hi - theta),
            Self::Above { lo } => (theta - lo).ln(),
            Self::Below { hi } => -(hi - theta).ln(),
        }
    }

    /// `dθ/dη`; zero where [`Self::to_natural`] reaches floating-point limits.
    #[must_use]
    pub fn derivative(self, unconstrained: f64) -> f64 {
        let eta = unconstrained;
        match self {
            Self::Identity => 1.0,
            Self::Positive | Self::Above { .. } => exp_or_zero(eta),
            Self::Below { .. } => exp_or_zero(-eta),
            Self::Interval { lo, hi } => {
                // By symmetry; e = exp(−|η|) ≤ 1 does not overflow.
                let e = (-eta.abs()).exp();
                (hi - lo) * e / ((1.0 + e) * (1.0 + e))
            }
        }
    }

    /// `true` if finite and inside.
    #[must_use]
    pub fn contains(self, natural: f64) -> bool {
        let (least, greatest) = self.extremes();
        natural.is_finite() && least <= natural && natural <= greatest
    }

    /// Checks for finite ends with numbers between.
    ///
    /// # Errors
    /// [`ParameterError::InvalidTransform`].
    pub fn validate(self) -> Result<(), ParameterError> {
        let reason = match self {
            Self::Identity | Self::Positive => None,
            Self::Above { lo: end } | Self::Below { hi: end } => {
                (!end.is_finite()).then_some("the end must be finite")
            }
            Self::Interval { lo, hi } => interval_fault(lo, hi),
        };
        let (least, greatest) = self.extremes();
        let reason = reason.or_else(|| (least > greatest).then_some("no number lies in it"));
        match reason {
            None => Ok(()),
            Some(reason) => Err(ParameterError::InvalidTransform { transform: self.to_string(), reason }),
        }
    }

    /// Set for errors; closed if `outside` is between the ends.
    pub(crate) fn allowed(self, outside: f64) -> String {
        let ((lo, hi), (least, greatest)) = (self.ends(), self.extremes());
        if lo < outside && outside < hi {
            return format!("[{}, {}]", format_number(least), format_number(greatest));
        }
        self.to_string()
    }

    fn extremes(self) -> (f64, f64) {
        match self {
            Self::Identity => (-f64::MAX, f64::MAX),
            Self::Positive => (f64::MIN_POSITIVE, f64::MAX),
            Self::Interval { lo, hi } => (just_above(lo), just_below(hi)),
            // The distance from the end must not overflow either.
            Self::Above { lo } => (just_above(lo), f64::MAX.min(f64::MAX + lo)),
            Self::Below { hi } => (f64::MIN.max(f64::MIN + hi), just_below(hi)),
        }
    }
}

impl fmt::Display for Transform {
    /// `(-inf, inf)`, `(0, inf)`, `(lo, hi)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lo, hi) = match *self {
            Self::Identity => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Positive => (0.0, f64::INFINITY),
            Self::Interval { lo, hi } => (lo, hi),
            Self::Above { lo } => (lo, f64::INFINITY),
            Self::Below { hi } => (f64::NEG_INFINITY, hi),
        };
        write!(f, "({}, {})", format_number(lo), format_number(hi))
    }
}

/// Logistic, from the nearer end for accuracy.
fn interval_to_natural(eta: f64, lo: f64, hi: f64) -> f64 {
    let e = (-eta.abs()).exp();
    let from_nearer_end = (hi - lo) * (e / (1.0 + e));
    if eta < 0.0 { lo + from_nearer_end } else { hi - from_nearer_end }
}

/// `ln(below / above)`, without over- or underflow.
fn log_odds(below: f64, above: f64) -> f64 {
    let odds = below / above;
    if odds.is_normal() { odds.ln() } else { below.ln() - above.ln() }
}

fn interval_fault(lo: f64, hi: f64) -> Option<&'static str> {
    if !(lo.is_finite() && hi.is_finite()) {
        Some("both ends must be finite")
    } else if lo >= hi {
        Some("the lower end must be below the upper end")
    } else if !(hi - lo).is_finite() {
        Some("its width must be finite")
    } else {
        None
    }
}

fn exp_or_zero(x: f64) -> f64 {
    if EXP_RANGE.contains(&x) || x.is_nan() { x.exp() } else { 0.0 }
}

/// Next larger number, skipping subnormal ones.
fn just_above(x: f64) -> f64 {
    let up = x.next_up();
    match (up.is_subnormal(), up > 0.0) {
        (false, _) => up,
        (true, true) => f64::MIN_POSITIVE,
        (true, false) => 0.0,
    }
}

fn just_below(x: f64) -> f64 {
    -just_above(-x)
}
