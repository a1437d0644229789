//! Possible values of observations.

use crate::error::{LikelihoodError, check};

/// Possible values of one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Support {
    /// Any finite number.
    Real,
    /// Finite number above 0.
    Positive,
    /// Number strictly between 0 and 1.
    UnitInterval,
    /// Label −1 or 1.
    Signs,
    /// Whole number from 0 to 2⁵³.
    Counts,
    /// Number of labels 0, 1, 2, ….
    Classes(usize),
}

/// 2⁵³; above, doubles skip integers.
const MAX_COUNT: f64 = 9_007_199_254_740_992.0;

impl Support {
    /// `true` if densities are probabilities.
    #[must_use]
    pub fn is_discrete(self) -> bool {
        matches!(self, Self::Signs | Self::Counts | Self::Classes(_))
    }

    /// Number of classes; 0 for others.
    #[must_use]
    pub fn classes(self) -> usize {
        match self {
            Self::Signs => 2,
            Self::Classes(count) => count,
            _ => 0,
        }
    }

    /// Label of a class (from 0), in probability order.
    ///
    /// ```
    /// use gp_likelihoods::Support;
    /// assert_eq!([0, 1].map(|class| Support::Signs.label(class)), [-1.0, 1.0]);
    /// assert_eq!(Support::Classes(3).label(2), 2.0);
    /// ```
    #[must_use]
    pub fn label(self, class: usize) -> f64 {
        match self {
            Self::Signs => 2.0 * class as f64 - 1.0,
            _ => class as f64,
        }
    }

    /// `true` if y is in the support.
    #[must_use]
    pub fn contains(self, y: f64) -> bool {
        let whole = y.fract() == 0.0 && y >= 0.0;
        match self {
            Self::Real => y.is_finite(),
            Self::Positive => y > 0.0 && y.is_finite(),
            Self::UnitInterval => 0.0 < y && y < 1.0,
            Self::Signs => y == 1.0 || y == -1.0,
            Self::Counts => whole && y <= MAX_COUNT,
            Self::Classes(count) => whole && y < count as f64,
        }
    }

    /// Checks that y is in the support.
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] or [`LikelihoodError::NoSuchClass`], with y.
    pub fn check(self, y: f64) -> Result<(), LikelihoodError> {
        let allowed = match self {
            Self::Real => "finite",
            Self::Positive => "above 0 and finite",
            Self::UnitInterval => "strictly between 0 and 1",
            Self::Signs => "-1 or 1",
            Self::Counts => "a whole number from 0 to 2^53",
            Self::Classes(_) if self.contains(y) => return Ok(()),
            Self::Classes(classes) => return Err(LikelihoodError::NoSuchClass { value: y, classes }),
        };
        check("observation", y, self.contains(y), allowed)
    }
}
