//! Extreme numbers of a column, and the one that is far from all others.

use crate::data::Frame;
use crate::standardise::Range;

/// Minimum number of the other numbers.
const FEWEST: usize = 9;
/// Minimum distance of an outlier from the other numbers, in widths of their range. Of a thousand columns of Cauchy
/// noise, five have such a number; of log-normal ones with deviation 2, one in small tables.
const FAR: f64 = 100.0;
/// Minimum width of this range relative to its numbers, which otherwise differ by rounding.
const WIDE: f64 = 1e-9;

/// Number that is far from all others of its column.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlier {
    /// The number.
    pub value: f64,
    /// Place in the table.
    pub place: String,
    /// Range of all other numbers.
    pub others: Range,
}

/// The largest number and the largest negated number, each with the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct Extremes {
    count: usize,
    highest: Top,
    lowest: Top,
}

impl Extremes {
    /// Adds the present numbers of a chunk.
    pub(super) fn look(&mut self, numbers: &[f64], piece: &Frame) {
        self.count += numbers.iter().filter(|number| !number.is_nan()).count();
        self.highest.look(numbers.iter().copied(), piece);
        self.lowest.look(numbers.iter().map(|number| -number), piece);
    }

    /// The outlier, if there is one; two far from the others are none.
    pub(super) fn outlier(&self) -> Option<Outlier> {
        let of = |top: &Top, other: &Top| top.far_from(-other.largest);
        let high = of(&self.highest, &self.lowest);
        let low = of(&self.lowest, &self.highest).map(Outlier::negated);
        high.or(low).filter(|_| self.count > FEWEST)
    }
}

impl Outlier {
    fn negated(self) -> Self {
        let Range { lowest, highest } = self.others;
        Self { value: -self.value, others: Range { lowest: -highest, highest: -lowest }, ..self }
    }
}

/// Largest of some numbers, with its place, and the next one, which may be equal.
#[derive(Clone, Debug)]
struct Top {
    largest: f64,
    next: f64,
    place: String,
}

impl Default for Top {
    fn default() -> Self {
        Self { largest: f64::NEG_INFINITY, next: f64::NEG_INFINITY, place: String::new() }
    }
}

impl Top {
    /// Adds numbers; NaN is smaller than none.
    fn look(&mut self, numbers: impl Iterator<Item = f64>, piece: &Frame) {
        let mut found = None;
        for (row, number) in numbers.enumerate() {
            if number > self.largest {
                self.next = self.largest;
                (self.largest, found) = (number, Some(row));
            } else if number > self.next {
                self.next = number;
            }
        }
        if let Some(row) = found {
            self.place = piece.place(row);
        }
    }

    /// The largest number, if it is far from all others, which vary from `lowest` on.
    fn far_from(&self, lowest: f64) -> Option<Outlier> {
        let width = self.next - lowest;
        let is_wide = width > WIDE * lowest.abs().max(self.next.abs());
        let is_far = is_wide && width.is_finite() && self.largest - self.next > FAR * width;
        let others = Range { lowest, highest: self.next };
        is_far.then(|| Outlier { value: self.largest, place: self.place.clone(), others })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind};

    fn of(pieces: &[&[f64]]) -> Option<Outlier> {
        let mut extremes = Extremes::default();
        for numbers in pieces {
            let column = Column::of_numbers("x", Kind::Number, numbers.to_vec());
            extremes.look(numbers, &Frame::new("t.csv", vec![column], None).unwrap());
        }
        extremes.outlier()
    }

    #[test]
    fn one_number_far_from_the_others_is_found_in_any_piece() {
        let near: Vec<f64> = (0..20).map(|i| f64::from(i) / 10.0).collect();
        assert_eq!(of(&[&near]), None);
        for (value, far) in [(1e9, true), (-1e9, true), (250.0, true), (150.0, false), (f64::NAN, false)] {
            let others = Range { lowest: 0.0, highest: 1.9 };
            for pieces in [[&near[..], &[value]], [&[value], &near[..]]] {
                let found = of(&pieces).map(|found| (found.value, found.others));
                assert_eq!(found, far.then_some((value, others)), "{pieces:?}");
            }
        }
        assert_eq!(of(&[&near, &[1e9, 2e9]]), None);
        assert_eq!(of(&[&near[..8], &[1e9]]), None);
        assert_eq!(of(&[&[1.0; 20], &[1e9]]), None);
        assert_eq!(of(&[&[0.3; 20], &[0.1 + 0.2, 1.0]]), None);
    }
}
