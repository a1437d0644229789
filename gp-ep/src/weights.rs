//! How much each observation counts.

use crate::error::{InferenceError, check_count};

/// Weights of observations: one of weight w is its factor to the power w, as if it had been seen w times.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Weights {
    /// All count once.
    #[default]
    Equal,
    /// One for each observation.
    Each(Vec<f64>),
    /// One for each class: that of the label, for data of one target that is a class from 0 on.
    Classes(Vec<f64>),
}

impl Weights {
    /// Weights of classes with which all of them count as much in sum as the largest does, as if the others had been
    /// seen more often; 1 for a class without observations. No weight is below 1, which any power and any sharing of
    /// sites can do with.
    #[must_use]
    pub fn balanced(counts: &[usize]) -> Self {
        let largest = counts.iter().copied().max().unwrap_or(0) as f64;
        Self::Classes(counts.iter().map(|&n| if n == 0 { 1.0 } else { largest / n as f64 }).collect())
    }

    /// The weight of an observation with this target; 1 where nothing was said of it.
    #[must_use]
    pub fn of(&self, row: usize, y: &[f64]) -> f64 {
        let found = match self {
            Self::Equal => None,
            Self::Each(weights) => weights.get(row),
            Self::Classes(weights) => y.first().and_then(|label| weights.get(*label as usize)),
        };
        found.copied().unwrap_or(1.0)
    }

    /// The least of them.
    pub(crate) fn least(&self) -> f64 {
        self.all().iter().copied().fold(1.0, f64::min)
    }

    fn all(&self) -> &[f64] {
        match self {
            Self::Equal => &[],
            Self::Each(weights) | Self::Classes(weights) => weights,
        }
    }

    /// `Ok` when these are weights of this many observations.
    ///
    /// # Errors
    /// [`InferenceError::Shape`] for another number; [`InferenceError::Option`] for one that is not positive and finite.
    pub fn check(&self, observations: usize) -> Result<(), InferenceError> {
        if let Self::Each(weights) = self {
            check_count("list of weights", "entries", observations, weights.len())?;
        }
        match self.all().iter().find(|weight| !(weight.is_finite() && **weight > 0.0)) {
            None => Ok(()),
            Some(&value) => {
                Err(InferenceError::Option { what: "weight", value, allowed: "finite and above 0" })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_weights_give_all_classes_one_sum() {
        let weights = Weights::balanced(&[2, 6, 0, 4]);
        assert_eq!(weights, Weights::Classes(vec![3.0, 1.0, 1.0, 1.5]));
        assert_eq!([weights.of(9, &[0.0]), weights.of(0, &[3.0]), weights.of(0, &[7.0])], [3.0, 1.5, 1.0]);
    }

    #[test]
    fn weights_that_are_none_are_refused() {
        for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Weights::Classes(vec![1.0, value]).check(3).is_err(), "{value}");
        }
        assert!(Weights::Each(vec![1.0; 2]).check(3).is_err() && Weights::Equal.check(3).is_ok());
        assert_eq!(Weights::Each(vec![2.0, 0.5]).least(), 0.5);
    }
}
