//! Numbers far from others.

use super::far_end::FarEnd;
use crate::data::Kind;
use crate::digits::four_digits;
use crate::left_out::counted;
use crate::standardise::Range;

const FEWEST: usize = 9;
/// Maximum rows of outliers; more form a group.
pub(super) const MAX_TOGETHER: usize = 3;
/// Minimum distance, in widths of the others' range. Five of a thousand Cauchy columns have such a number; of small
/// log-normal columns with deviation 2, one.
const FAR: f64 = 100.0;
/// [`FAR`] for codes of missing values.
const FAR_OF_CODES: f64 = 3.0;
/// Minimum relative width; below are rounding errors.
const WIDE: f64 = 1e-9;

/// Numbers far from others, at one end.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlier {
    /// Farthest first, each with its first place.
    pub numbers: Vec<(f64, String)>,
    /// Number of rows.
    pub rows: usize,
    /// Range of other numbers.
    pub others: Range,
    /// `true` for -999 and such, often codes of missing values.
    pub is_code: bool,
}

impl Outlier {
    /// Outliers among `largest` (descending) of `count` numbers above `lowest`.
    pub(super) fn among(largest: &[FarEnd], lowest: f64, count: usize) -> Option<Self> {
        let together = (1..largest.len()).rev().find_map(|count_of| {
            let (far, next) = (&largest[..count_of], largest[count_of].value);
            let rows = far.iter().map(|one| one.rows).sum::<usize>();
            let is_code = count_of == 1 && is_nines(far[0].value);
            let is_far =
                distance(far[count_of - 1].value, next, lowest) > if is_code { FAR_OF_CODES } else { FAR };
            (is_far && (is_code || rows <= MAX_TOGETHER)).then_some((far, rows, next, is_code))
        });
        let (far, rows, next, is_code) = together.filter(|(_, rows, ..)| count - rows >= FEWEST)?;
        let numbers = far.iter().map(|one| (one.value, one.place())).collect();
        Some(Self { numbers, rows, others: Range { lowest, highest: next }, is_code })
    }

    /// Number, place and others' range.
    #[must_use]
    pub fn describe(&self, kind: Kind) -> String {
        let exactly = |number: f64| kind.text(number);
        let ends = [self.others.lowest, self.others.highest];
        let rounded = ends.map(four_digits);
        let [lowest, highest] = match kind {
            Kind::Number if rounded[0] != rounded[1] => rounded,
            _ => ends.map(exactly),
        };
        let others = format!("far from all others, which lie between {lowest} and {highest}");
        let each = |(number, place): &(f64, String)| format!("{} at {place}", exactly(*number));
        match (&self.numbers[..], self.rows) {
            ([one], 1) => format!("{} is {others}", each(one)),
            ([one], rows) => format!("{} and in {} is {others}", each(one), counted(rows - 1, "other row")),
            (numbers, rows) => {
                let each: Vec<String> = numbers.iter().map(each).collect();
                format!("{} are {others}: {}", counted(rows, "number"), each.join(", "))
            }
        }
    }

    /// Advice, with `or_else` for correct numbers.
    #[must_use]
    pub fn advise(&self, or_else: &str) -> String {
        if self.is_code {
            "if it stands for missing values, leave those cells empty, and choose what becomes of them with --missing"
                .to_owned()
        } else {
            let (them, rows, are) = if self.rows == 1 {
                ("it", "row", "it is a mistake")
            } else {
                ("them", "rows", "they are mistakes")
            };
            format!("correct {them} or leave the {rows} out if {are}{or_else}")
        }
    }
}

/// In widths of the range.
fn distance(outlier: f64, next: f64, lowest: f64) -> f64 {
    let width = next - lowest;
    let is_wide = width.is_finite() && width > WIDE * lowest.abs().max(next.abs());
    if is_wide { (outlier - next) / width } else { 0.0 }
}

/// 99, 999, … and their negatives.
fn is_nines(number: f64) -> bool {
    let next = number.abs() + 1.0;
    (100.0..1e9).contains(&next) && next.log10().fract() == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_of_nines() {
        let codes = [9.0, 99.0, -999.0, 9999.0, 998.0, 99.5, 1e6, -99999.0, f64::INFINITY, f64::NAN];
        let expected = [false, true, true, true, false, false, false, true, false, false];
        assert_eq!(codes.map(is_nines), expected);
    }

    #[test]
    fn several_are_listed_with_their_places() {
        let mut outlier = Outlier {
            numbers: vec![(-1e9, "line 3".to_owned())],
            rows: 1,
            others: Range { lowest: 0.0, highest: 5.9 },
            is_code: false,
        };
        let others = "far from all others, which lie between 0 and 5.900";
        assert_eq!(outlier.describe(Kind::Number), format!("-1000000000 at line 3 is {others}"));
        outlier.rows = 2;
        assert_eq!(
            outlier.describe(Kind::Number),
            format!("-1000000000 at line 3 and in 1 other row is {others}")
        );
        outlier.numbers.push((-1e6, "line 9".to_owned()));
        let said = format!("2 numbers are {others}: -1000000000 at line 3, -1000000 at line 9");
        assert_eq!(outlier.describe(Kind::Number), said);
        assert_eq!(
            outlier.advise(", otherwise"),
            "correct them or leave the rows out if they are mistakes, otherwise"
        );
        outlier.is_code = true;
        assert!(outlier.advise("").contains("--missing"));
    }
}
