//! Columns in units of their own spread.

use serde::{Deserialize, Serialize};

/// How one column was shifted and scaled: a number z there is `mean + scale · z` in the units of the data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standardiser {
    /// Mean of the column.
    pub mean: f64,
    /// Standard deviation of the column, or 1 where all its numbers are equal.
    pub scale: f64,
}

impl Standardiser {
    /// For a column that is not empty.
    #[must_use]
    pub fn of(column: &[f64]) -> Self {
        let count = column.len() as f64;
        let mean = column.iter().sum::<f64>() / count;
        let variance = column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        // Rounding leaves equal numbers a spread of a few ulps of their mean; that is no unit to measure in.
        let negligible = (4.0 * f64::EPSILON * mean).powi(2);
        Self { mean, scale: if variance > negligible { variance.sqrt() } else { 1.0 } }
    }

    /// Numbers as they are.
    #[must_use]
    pub const fn identity() -> Self {
        Self { mean: 0.0, scale: 1.0 }
    }

    /// Whether numbers can be taken to these units and back.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.mean.is_finite() && self.scale.is_finite() && self.scale > 0.0
    }

    /// From the units of the data.
    #[must_use]
    pub fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.scale
    }

    /// Back to the units of the data.
    #[must_use]
    pub fn undo(&self, value: f64) -> f64 {
        self.mean + self.scale * value
    }

    /// A variance back in the units of the data, squared.
    #[must_use]
    pub fn undo_variance(&self, variance: f64) -> f64 {
        self.scale * self.scale * variance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_get_mean_zero_and_spread_one() {
        let column = [1.0, 3.0, 5.0, 7.0];
        let standardiser = Standardiser::of(&column);
        assert_eq!((standardiser.mean, standardiser.scale), (4.0, 5f64.sqrt()));
        for value in column {
            // Two roundings each way.
            assert!((standardiser.undo(standardiser.apply(value)) - value).abs() < 1e-14);
        }
        assert!((standardiser.undo_variance(1.0) - 5.0).abs() < 1e-14);
    }

    #[test]
    fn equal_numbers_keep_their_unit() {
        assert_eq!(Standardiser::of(&[0.1; 7]).scale, 1.0);
        assert_eq!(Standardiser::of(&[-3.0]), Standardiser { mean: -3.0, scale: 1.0 });
        assert_eq!(Standardiser::of(&[0.0, 0.0]), Standardiser { mean: 0.0, scale: 1.0 });
    }
}
