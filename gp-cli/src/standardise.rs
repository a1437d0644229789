//! Standardisation of columns.

use serde::{Deserialize, Serialize};

/// Mean and scale: z in model units is `mean + scale · z`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standardiser {
    /// Column mean.
    pub mean: f64,
    /// Standard deviation, of a column or several; 1 if constant.
    pub scale: f64,
}

impl Standardiser {
    /// Standardiser of a non-empty column.
    #[must_use]
    pub fn of(column: &[f64]) -> Self {
        let mut sum = Sum::default();
        column.iter().for_each(|&value| sum.add(value));
        let mut spread = Spread::about(sum.mean());
        column.iter().for_each(|&value| spread.add(value));
        spread.standardiser()
    }

    /// Mean 0, scale 1.
    #[must_use]
    pub const fn identity() -> Self {
        Self { mean: 0.0, scale: 1.0 }
    }

    /// `true` if finite, with positive scale.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.mean.is_finite() && self.scale.is_finite() && self.scale > 0.0
    }

    /// Converts to model units.
    #[must_use]
    pub fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.scale
    }

    /// Converts to data units.
    #[must_use]
    pub fn undo(&self, value: f64) -> f64 {
        self.mean + self.scale * value
    }

    /// Converts to squared data units.
    #[must_use]
    pub fn undo_variance(&self, variance: f64) -> f64 {
        self.scale * self.scale * variance
    }
}

/// Sequential sum: order matters, chunks do not.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Sum {
    weight: f64,
    sum: f64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { weight: 0.0, sum: -0.0 }
    }
}

impl Sum {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.add_weighed(value, 1.0);
    }

    /// Adds a weighted value.
    pub fn add_weighed(&mut self, value: f64, weight: f64) {
        self.weight += weight;
        self.sum += weight * value;
    }

    pub(crate) fn state(&self) -> [f64; 2] {
        [self.weight, self.sum]
    }

    pub(crate) fn of_state([weight, sum]: [f64; 2]) -> Self {
        Self { weight, sum }
    }

    /// Total weight; count if unweighted.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// NaN if empty.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// Minimum and maximum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Infinity if empty.
    pub lowest: f64,
    /// Minus infinity if empty.
    pub highest: f64,
}

impl Default for Range {
    fn default() -> Self {
        Self { lowest: f64::INFINITY, highest: f64::NEG_INFINITY }
    }
}

impl Range {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.lowest = self.lowest.min(value);
        self.highest = self.highest.max(value);
    }

    /// `true` if `other` lies within.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.lowest <= other.lowest && other.highest <= self.highest
    }
}

/// Squared deviations from a known mean.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    mean: f64,
    squares: Sum,
    /// Enlarged by [`LARGER`], against underflow.
    squares_larger: Sum,
    /// Divided by [`LARGER`], against overflow.
    squares_smaller: Sum,
    /// Largest deviation, if squares underflow.
    largest: f64,
}

pub(crate) const SPREAD_STATE: usize = 7;

/// 2⁵⁰⁰ and its inverse.
const LARGER: f64 = f64::from_bits((1023 + 500) << 52);
const SMALLER: f64 = f64::from_bits((1023 - 500) << 52);

impl Spread {
    /// Empty, about this mean.
    #[must_use]
    pub fn about(mean: f64) -> Self {
        let none = Sum::default();
        Self { mean, squares: none, squares_larger: none, squares_smaller: none, largest: 0.0 }
    }

    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.add_weighed(value, 1.0);
    }

    /// Adds a weighted value.
    pub fn add_weighed(&mut self, value: f64, weight: f64) {
        self.squares.add_weighed((value - self.mean).powi(2), weight);
        self.squares_larger.add_weighed((LARGER * (value - self.mean)).powi(2), weight);
        self.squares_smaller.add_weighed((SMALLER * (value - self.mean)).powi(2), weight);
        if weight > 0.0 {
            self.largest = self.largest.max((value - self.mean).abs());
        }
    }

    pub(crate) fn state(&self) -> [f64; SPREAD_STATE] {
        let [a, b, c] = [self.squares, self.squares_larger, self.squares_smaller];
        [a.weight, a.sum, b.weight, b.sum, c.weight, c.sum, self.largest]
    }

    /// Continues another process's sums, about the same mean.
    pub(crate) fn resume(&mut self, state: [f64; SPREAD_STATE]) {
        let [a, b, c, d, e, f, largest] = state;
        let sum = |weight, sum| Sum { weight, sum };
        (self.squares, self.squares_larger, self.squares_smaller) = (sum(a, b), sum(c, d), sum(e, f));
        self.largest = largest;
    }

    /// Scale 1 for constant columns; largest deviation if squares underflow.
    #[must_use]
    pub fn standardiser(&self) -> Standardiser {
        let (mean, larger, squares) = (self.mean, self.squares_larger.mean(), self.squares.mean());
        let scale = if larger < f64::MIN_POSITIVE {
            self.largest
        } else if larger.is_finite() {
            larger.sqrt() / LARGER
        } else if squares.is_finite() {
            squares.sqrt()
        } else {
            self.squares_smaller.mean().sqrt() / SMALLER
        };
        // Rounding spreads equal numbers by a few ulps of their mean.
        let rounding = 4.0 * (f64::EPSILON * mean.abs()).max(f64::from_bits(1));
        Standardiser { mean, scale: if scale > rounding { scale } else { 1.0 } }
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
            // Two roundings in each direction.
            assert!((standardiser.undo(standardiser.apply(value)) - value).abs() < 1e-14);
        }
        assert!((standardiser.undo_variance(1.0) - 5.0).abs() < 1e-14);
    }

    #[test]
    fn sums_are_those_of_the_definitions() {
        let column: Vec<f64> = (0..1000).map(|i| 1e3 + (f64::from(i) * 0.7).sin()).collect();
        let mean = column.iter().sum::<f64>() / 1000.0;
        let variance = column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 1000.0;
        assert_eq!(Standardiser::of(&column), Standardiser { mean, scale: variance.sqrt() });
    }

    #[test]
    fn weights_are_copies() {
        let (values, weights) = ([1.0, 4.0, -2.5], [2.0, 1.0, 3.0]);
        let (mut sum, mut often) = (Sum::default(), Vec::new());
        for (&value, &weight) in values.iter().zip(&weights) {
            sum.add_weighed(value, weight);
            often.extend(std::iter::repeat_n(value, weight as usize));
        }
        let mut spread = Spread::about(sum.mean());
        values.iter().zip(&weights).for_each(|(&value, &weight)| spread.add_weighed(value, weight));
        let (found, expected) = (spread.standardiser(), Standardiser::of(&often));
        assert!((found.mean - expected.mean).abs() < 1e-15 && (found.scale - expected.scale).abs() < 1e-15);
        assert_eq!(sum.weight(), 6.0);
    }

    #[test]
    fn numbers_whose_squares_are_none_have_units_too() {
        for unit in [1e-320, 1e-310, 1e-300, 1e-200, 1e-20, 1.0, 1e20, 1e200, 1e300] {
            let found = Standardiser::of(&[-1.0, 1.0].map(|sign| sign * unit));
            assert_eq!(found, Standardiser { mean: 0.0, scale: unit });
        }
    }

    #[test]
    fn equal_numbers_keep_their_unit() {
        assert_eq!(Standardiser::of(&[0.1; 7]).scale, 1.0);
        assert_eq!(Standardiser::of(&[-3.0]), Standardiser { mean: -3.0, scale: 1.0 });
        assert_eq!(Standardiser::of(&[0.0, 0.0]), Standardiser { mean: 0.0, scale: 1.0 });
        assert_eq!(Standardiser::of(&[1.1e-320; 7]).scale, 1.0);
    }
}
