//! Which observations there are.

use crate::error::{LikelihoodError, check};

/// The set an observation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Support {
    /// Any finite number.
    Real,
    /// One of the two labels −1 and 1.
    Signs,
    /// A whole number from 0 on, at most 2⁵³.
    Counts,
}

/// From here on not every whole number is a double.
const MAX_COUNT: f64 = 9_007_199_254_740_992.0;

impl Support {
    /// Whether the set is one of isolated numbers, so that densities are probabilities.
    #[must_use]
    pub fn is_discrete(self) -> bool {
        self != Self::Real
    }

    /// All members of a small finite set, in the order of class probabilities; empty for other sets.
    #[must_use]
    pub fn classes(self) -> &'static [f64] {
        if self == Self::Signs { &[-1.0, 1.0] } else { &[] }
    }

    /// Whether an observation is a member.
    ///
    /// # Errors
    /// [`LikelihoodError::Argument`] with the observation.
    pub fn check(self, y: f64) -> Result<(), LikelihoodError> {
        match self {
            Self::Real => check("observation", y, y.is_finite(), "finite"),
            Self::Signs => check("observation", y, y == 1.0 || y == -1.0, "-1 or 1"),
            Self::Counts => {
                let whole = (0.0..=MAX_COUNT).contains(&y) && y.fract() == 0.0;
                check("observation", y, whole, "a whole number from 0 to 2^53")
            }
        }
    }
}
