//! Extreme numbers with places, in one pass.

use super::far_end::{FarEnd, Place};
use super::outlier::{MAX_TOGETHER, Outlier};
use crate::data::Frame;
use crate::standardise::Range;
use serde::{Deserialize, Serialize};

/// Distinct numbers kept per end: outliers and the next number.
const KEPT: usize = MAX_TOGETHER + 1;

/// Largest numbers, and largest of the negated numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Extremes {
    count: usize,
    highest: End,
    lowest: End,
}

/// Distinct, descending.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct End(Vec<FarEnd>);

impl Extremes {
    pub(super) fn add(&mut self, numbers: &[f64], piece: &Frame) {
        self.count += numbers.iter().filter(|number| !number.is_nan()).count();
        self.highest.add(numbers.iter().copied(), piece);
        self.lowest.add(numbers.iter().map(|number| -number), piece);
    }

    pub(super) fn join(&mut self, later: Self) {
        self.count += later.count;
        self.highest.join(later.highest);
        self.lowest.join(later.lowest);
    }

    pub(super) fn outlier(&self) -> Option<Outlier> {
        let of = |end: &End, other: &End| Outlier::among(&end.0, -other.0.first()?.value, self.count);
        let low = || of(&self.lowest, &self.highest).map(Outlier::negated);
        of(&self.highest, &self.lowest).or_else(low)
    }
}

impl End {
    fn add(&mut self, numbers: impl Iterator<Item = f64>, piece: &Frame) {
        for (row, number) in numbers.enumerate() {
            self.add_number(number, row);
        }
        for FarEnd { place, .. } in &mut self.0 {
            if let Place::Row(row) = *place {
                *place = Place::Said(piece.place(row));
            }
        }
    }

    fn join(&mut self, later: Self) {
        later.0.into_iter().for_each(|found| self.insert(found));
    }

    fn add_number(&mut self, number: f64, row: usize) {
        let is_full = self.0.len() == KEPT;
        let is_low = self.0.last().is_some_and(|last| number < last.value);
        if number.is_nan() || (is_full && is_low) {
            return;
        }
        self.insert(FarEnd { value: number, rows: 1, place: Place::Row(row) });
    }

    fn insert(&mut self, found: FarEnd) {
        let at = self.0.partition_point(|kept| kept.value > found.value);
        match self.0.get_mut(at) {
            Some(kept) if kept.value == found.value => kept.rows += found.rows,
            _ if at == KEPT => {}
            _ => {
                self.0.truncate(KEPT - 1);
                self.0.insert(at, found);
            }
        }
    }
}

impl Outlier {
    pub(crate) fn of_column(numbers: &[f64], frame: &Frame) -> Option<Self> {
        let mut extremes = Extremes::default();
        extremes.add(numbers, frame);
        extremes.outlier()
    }

    fn negated(self) -> Self {
        let Range { lowest, highest } = self.others;
        let numbers = self.numbers.into_iter().map(|(number, place)| (-number, place)).collect();
        Self { numbers, others: Range { lowest: -highest, highest: -lowest }, ..self }
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
            extremes.add(numbers, &Frame::new("t.csv", vec![column], None).unwrap());
        }
        extremes.outlier()
    }

    fn numbers(pieces: &[&[f64]]) -> Option<Vec<f64>> {
        Some(of(pieces)?.numbers.into_iter().map(|(number, _)| number).collect())
    }

    fn tenths() -> Vec<f64> {
        (0..20).map(|i| f64::from(i) / 10.0).collect()
    }

    #[test]
    fn one_number_far_from_the_others_is_found_in_any_piece() {
        let near = tenths();
        assert_eq!(of(&[&near]), None);
        for (value, far) in [(1e9, true), (-1e9, true), (250.0, true), (150.0, false), (f64::NAN, false)] {
            let others = Range { lowest: 0.0, highest: 1.9 };
            for pieces in [[&near[..], &[value]], [&[value], &near[..]]] {
                let found = of(&pieces).map(|found| (found.numbers[0].0, found.rows, found.others));
                assert_eq!(found, far.then_some((value, 1, others)), "{pieces:?}");
            }
        }
        assert_eq!(of(&[&near[..8], &[1e9]]), None);
        assert_eq!(of(&[&[1.0; 20], &[1e9]]), None);
        assert_eq!(of(&[&[0.3; 20], &[0.1 + 0.2, 1.0]]), None);
    }

    #[test]
    fn up_to_three_are_found_together() {
        let near = tenths();
        assert_eq!(numbers(&[&near, &[1e9, 2e9]]), Some(vec![2e9, 1e9]));
        assert_eq!(numbers(&[&[-1e6], &near, &[-1e6, -1e12]]), Some(vec![-1e12, -1e6]));
        assert_eq!(numbers(&[&[3e9], &near, &[1e9, 2e9, 4e9]]), None);
        assert_eq!(numbers(&[&[1e9; 4], &near]), None);
    }

    #[test]
    fn nines_that_stand_for_missing_values_are_found() {
        let ages: Vec<f64> = (0..60).map(|i| 18.0 + f64::from(i)).collect();
        for (code, found) in [(-999.0, true), (9999.0, true), (-1000.0, false), (99.0, false)] {
            let said = of(&[&ages, &[code; 12]]).map(|found| (found.numbers[0].0, found.rows));
            assert_eq!(said, found.then_some((code, 12)), "{code}");
        }
    }
}
