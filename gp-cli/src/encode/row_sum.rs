//! Checksum of table rows.

use super::raw::{RawColumn, RawPiece};
use super::row_sketch::RowSketch;
use super::target::{Target, TargetValues};
use crate::data::{Column, Frame, Kind, Values};
use crate::error::CliError;
use crate::fingerprint::{BEGIN, step};
use gp_optim::{Team, TeamError};

/// Order-independent sum and sketch of rows; numbers by bits, words by letters.
#[derive(Clone, Debug)]
pub(super) struct RowSum {
    /// Word checksums by index, per column.
    words: Vec<Vec<u64>>,
    sum: u64,
    sketch: RowSketch,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowMarks {
    /// Order-independent checksum.
    pub check_sum: String,
    pub sketch: RowSketch,
}

impl RowSum {
    pub(super) fn new<'a>(columns: impl IntoIterator<Item = &'a [String]>) -> Self {
        let of_column = |words: &'a [String]| words.iter().map(|word| of_word(word)).collect();
        Self { words: columns.into_iter().map(of_column).collect(), sum: 0, sketch: RowSketch::default() }
    }

    /// Adds a row; extra columns do not count.
    pub(super) fn add(&mut self, row: &[f64]) {
        let sum = self.of_row(row);
        self.sum = self.sum.wrapping_add(sum);
        self.sketch.add(sum);
    }

    fn of_row(&self, row: &[f64]) -> u64 {
        let cells = self.words.iter().zip(row).map(|(words, &value)| of_cell(words, value));
        cells.fold(BEGIN, step)
    }

    pub(super) fn of_all(self, team: &Team) -> Result<Self, TeamError> {
        let (mut sum, mut sketch) = (0_u64, RowSketch::default());
        for part in from_numbers(&team.gather(&to_numbers([self.sum]))?) {
            sum = sum.wrapping_add(part);
        }
        for kept in from_numbers(&team.gather(&to_numbers(self.sketch.kept()))?) {
            sketch.insert(kept);
        }
        Ok(Self { sum, sketch, ..self })
    }

    pub(super) fn marks(self) -> RowMarks {
        RowMarks { check_sum: in_digits(self.sum), sketch: self.sketch }
    }
}

/// Halves, which f64 holds exactly.
fn to_numbers(sums: impl IntoIterator<Item = u64>) -> Vec<f64> {
    sums.into_iter().flat_map(|sum| [sum >> 32, sum & u64::from(u32::MAX)]).map(|half| half as f64).collect()
}

fn from_numbers(halves: &[f64]) -> impl Iterator<Item = u64> {
    halves.as_chunks::<2>().0.iter().map(|[high, low]| ((*high as u64) << 32) | *low as u64)
}

fn in_digits(sum: u64) -> String {
    format!("{sum:016x}")
}

fn of_cell(words: &[u64], value: f64) -> u64 {
    match words.get(value as usize) {
        _ if value.is_nan() => f64::NAN.to_bits(),
        Some(word) => *word,
        // Both zeros are one number.
        None => (value + 0.0).to_bits(),
    }
}

fn of_word(word: &str) -> u64 {
    word.bytes().fold(BEGIN, |before, byte| step(before, u64::from(byte)))
}

/// [`Survey::marks`](super::Survey::marks); `None` if a column is missing.
pub(crate) fn row_marks(frame: &Frame, inputs: &[&str], targets: &[&Target]) -> Option<RowMarks> {
    let (mut sum, rows) = of_frame(frame, inputs, targets)?;
    let add = &mut |row: &[f64]| {
        sum.add(row);
        Ok::<(), CliError>(())
    };
    rows.for_each(add).ok()?;
    Some(sum.marks())
}

/// Share of rows among `count` known ones; `None` if unknown or almost 0.
pub(crate) fn known_share(
    (sketch, count): (&RowSketch, usize),
    frame: &Frame,
    inputs: &[&str],
    targets: &[&Target],
) -> Option<f64> {
    let (sum, rows) = of_frame(frame, inputs, targets)?;
    let mut sums = Vec::with_capacity(frame.row_count());
    let add = &mut |row: &[f64]| {
        sums.push(sum.of_row(row));
        Ok::<(), CliError>(())
    };
    rows.for_each(add).ok()?;
    sketch.share_of(count, sums.into_iter())
}

fn of_frame<'f>(frame: &'f Frame, inputs: &[&str], targets: &[&'f Target]) -> Option<(RowSum, RawPiece<'f>)> {
    let column = |name: &str| frame.column(name);
    let inputs: Vec<&Column> = inputs.iter().map(|name| column(name)).collect::<Option<_>>()?;
    let mut columns: Vec<(&[String], RawColumn<'_>)> = inputs.into_iter().map(raw).collect();
    for target in targets {
        let column = column(&target.name)?;
        columns.push(named(target, column).unwrap_or_else(|| raw(column)));
    }
    let (words, columns): (Vec<&[String]>, Vec<RawColumn<'_>>) = columns.into_iter().unzip();
    Some((RowSum::new(words), RawPiece { rows: frame.row_count(), columns }))
}

/// Checksum of both tables; `None` if damaged.
pub(crate) fn row_sum_of_both(one: &str, other: &str) -> Option<String> {
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    Some(in_digits(number(one)?.wrapping_add(number(other)?)))
}

fn raw(column: &Column) -> (&[String], RawColumn<'_>) {
    match column.values() {
        Values::Numbers(numbers) => (&[], RawColumn::Numbers(numbers)),
        Values::Levels { codes, levels } => (
            levels,
            RawColumn::Words { codes, places: (0..levels.len()).map(|place| place as f64).collect() },
        ),
    }
}

/// Training labels, if the table may hold their names.
fn named<'a>(target: &'a Target, column: &Column) -> Option<(&'a [String], RawColumn<'a>)> {
    let texts = match &target.values {
        TargetValues::Classes(texts) if !target.names.is_empty() => texts.as_slice(),
        _ => return None,
    };
    let is_word = target.kind == Kind::Category;
    let value = |class: Option<usize>| {
        let class = class?;
        if is_word { Some(class as f64) } else { target.kind.parse(&texts[class]) }
    };
    let own = target.classes(column).map(|class| value(class).unwrap_or(f64::NAN)).collect();
    Some((if is_word { texts } else { &[] }, RawColumn::Own(own)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{Columns, Survey};

    fn frame(rows: &[(f64, Option<&str>, &str)]) -> Frame {
        let numbers = Column::of_numbers("x", Kind::Number, rows.iter().map(|row| row.0).collect());
        let words = Column::of_words("w", rows.iter().map(|row| row.1));
        let labels = Column::of_words("y", rows.iter().map(|row| Some(row.2)));
        Frame::new("t.csv", vec![numbers, words, labels], None).unwrap()
    }

    fn target(names: &[&str]) -> Target {
        let labels = ["no", "yes"].map(str::to_owned).to_vec();
        let names = names.iter().map(|&name| name.to_owned()).collect();
        Target { name: "y".into(), kind: Kind::Category, values: TargetValues::Classes(labels), names }
    }

    #[test]
    fn a_sum_is_of_the_same_rows_in_any_order() {
        let rows =
            [(1.5, Some("b"), "no"), (0.0, None, "yes"), (-2.0, Some("a"), "yes"), (1.5, Some("a"), "no")];
        let begun = Survey::begin(&frame(&rows), &Columns::new(&["x", "w"], "y")).unwrap();
        let survey = begun.keeping(|_| crate::encode::Kept::Always).whole(&frame(&rows)).unwrap();
        let known = survey.marks().clone();
        let sum = |frame: Frame, target: &Target| row_marks(&frame, &["x", "w"], &[target]);
        let (plain, with_names) = (target(&[]), target(&["left", "stayed"]));
        let mut others = [rows[2], rows[1], rows[3], rows[0]];
        others[1].0 = -0.0;
        assert_eq!(sum(frame(&others), &plain), Some(known.clone()));
        assert_eq!(sum(frame(&others), &with_names), Some(known.clone()));
        let renamed = others.map(|(x, w, y)| (x, w, if y == "no" { "left" } else { "stayed" }));
        assert_eq!(sum(frame(&renamed), &with_names), Some(known.clone()));
        for place in 0..4 {
            let mut other = rows;
            other[place].0 += 1e-15;
            assert!(sum(frame(&other), &plain).as_ref() != Some(&known));
            let mut other = rows;
            other[place].1 = Some("c");
            assert!(sum(frame(&other), &plain).as_ref() != Some(&known));
            let mut other = rows;
            other[place].2 = if other[place].2 == "no" { "yes" } else { "no" };
            assert!(sum(frame(&other), &plain).as_ref() != Some(&known));
        }
        assert_eq!(row_marks(&frame(&rows), &["x", "z"], &[&plain]), None);
        let share = |rows: &[_]| known_share((&known.sketch, 4), &frame(rows), &["x", "w"], &[&plain]);
        assert_eq!((share(&rows[1..]), share(&rows[2..])), (Some(1.0), None));
    }
}
