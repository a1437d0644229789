//! Types of cells and columns.

use super::column::{Column, Kind, LevelBuilder, parse};
use super::{cells, dates};
use gp_optim::{Team, TeamError};

pub(super) fn of_all(
    team: &Team,
    tallies: &[Tally],
    numbering: Numbering,
) -> Result<(Vec<Tally>, Numbering), TeamError> {
    let counts = |tally: &Tally| [tally.numbers, tally.flags, tally.dates, tally.words];
    let mut counts: Vec<f64> = tallies.iter().flat_map(counts).map(|count| count as f64).collect();
    team.sum_counts(&mut counts)?;
    let counts = counts.as_chunks::<4>().0.iter().map(|counts| counts.map(|count| count as usize));
    let tally = |[numbers, flags, dates, words]: [usize; 4]| Tally { numbers, flags, dates, words };
    let Numbering { rows, first, is_broken } = numbering;
    let all = team.gather(&[rows as f64, first, f64::from(u8::from(is_broken))])?;
    let mut joined = Numbering::default();
    for &[rows, first, is_broken] in all.as_chunks().0 {
        joined.join(Numbering { rows: rows as usize, first, is_broken: is_broken > 0.0 });
    }
    Ok((counts.map(tally).collect(), joined))
}

/// Cell counts by type, additive.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    numbers: usize,
    flags: usize,
    dates: usize,
    words: usize,
}

impl Tally {
    pub(super) fn add(&mut self, cell: &str) {
        if cells::number(cell).is_some() {
            self.add_number();
        } else {
            self.add_word(cell);
        }
    }

    pub(super) fn add_number(&mut self) {
        self.numbers += 1;
    }

    /// Counts text that is no number.
    pub(super) fn add_word(&mut self, cell: &str) {
        if cells::is_missing(cell) {
        } else if cells::flag(cell).is_some() {
            self.flags += 1;
        } else if dates::days_since_epoch(cell).is_some() {
            self.dates += 1;
        } else {
            self.words += 1;
        }
    }

    /// Numbers if at least half are; other cells are then errors.
    pub(super) fn kind(self) -> Kind {
        let all = self.numbers + self.flags + self.dates + self.words;
        if 2 * self.numbers >= all {
            Kind::Number
        } else if self.flags == all {
            Kind::Boolean
        } else if self.dates == all {
            Kind::Date
        } else {
            Kind::Category
        }
    }
}

/// Detects columns 0, 1, 2, … or 1, 2, 3, …
#[derive(Clone, Copy, Default)]
pub(super) struct Numbering {
    rows: usize,
    first: f64,
    is_broken: bool,
}

impl Numbering {
    pub(super) fn add(&mut self, cell: &str) {
        let number = cells::number(cell).unwrap_or(f64::NAN);
        if self.rows == 0 {
            self.first = number;
        }
        // Non-numbers break the count too.
        self.is_broken |= number != self.first + self.rows as f64;
        self.rows += 1;
    }

    fn join(&mut self, later: Self) {
        if self.rows == 0 {
            *self = later;
        } else if later.rows > 0 {
            self.is_broken |= later.is_broken || later.first != self.first + self.rows as f64;
            self.rows += later.rows;
        }
    }

    pub(super) fn is_one(self) -> bool {
        self.rows > 0 && !self.is_broken && (self.first == 0.0 || self.first == 1.0)
    }
}

pub(super) enum ColumnCells {
    Numbers(Kind, Vec<f64>),
    Words(LevelBuilder),
}

impl ColumnCells {
    pub(super) fn new(kind: Option<Kind>) -> Self {
        match kind {
            None | Some(Kind::Category) => Self::Words(LevelBuilder::default()),
            Some(kind) => Self::Numbers(kind, Vec::new()),
        }
    }

    /// Appends a cell; fails with the type expected.
    pub(super) fn push(&mut self, cell: &str) -> Result<(), Kind> {
        match self {
            Self::Numbers(kind, numbers) => numbers.push(parse(cell, *kind).ok_or(*kind)?),
            Self::Words(levels) => levels.push((!cells::is_missing(cell)).then_some(cell)),
        }
        Ok(())
    }

    /// Bytes of cells, and of points made from numbers.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Numbers(_, numbers) => 8 * (numbers.capacity() + numbers.len()),
            Self::Words(levels) => levels.bytes(),
        }
    }

    /// Appends a number; `false` for other types.
    #[cfg(feature = "sqlite")]
    pub(super) fn push_number(&mut self, number: f64) -> bool {
        match self {
            Self::Numbers(Kind::Number, numbers) => {
                numbers.push(number);
                true
            }
            _ => false,
        }
    }

    pub(super) fn into_column(self, name: &str) -> Column {
        match self {
            Self::Numbers(kind, numbers) => Column::of_numbers(name, kind, numbers),
            Self::Words(levels) => levels.into_column(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_numbered_from_0_or_1() {
        let numbering = |cells: &[&str]| {
            let mut numbering = Numbering::default();
            cells.iter().for_each(|cell| numbering.add(cell));
            numbering.is_one()
        };
        assert!(numbering(&["0", "1", "2"]) && numbering(&["1", "2"]) && numbering(&["0.0", "1.0"]));
        assert!(["", "2", "x"].iter().all(|first| !numbering(&[first, "3"])));
        assert!(!numbering(&["0", "1", "1"]) && !numbering(&["0", "1", ""]) && !numbering(&[]));
    }

    #[test]
    fn half_numbers_are_numbers_and_all_else_has_to_be_of_one_type() {
        let kind = |cells: &[&str]| {
            let mut tally = Tally::default();
            cells.iter().for_each(|cell| tally.add(cell));
            tally.kind()
        };
        assert_eq!(kind(&["1", "NA", "oops"]), Kind::Number);
        assert_eq!(kind(&["1", "oops", "oops"]), Kind::Category);
        assert_eq!(kind(&["true", "", "FALSE"]), Kind::Boolean);
        assert_eq!(kind(&["true", "2024-01-01"]), Kind::Category);
        assert_eq!(kind(&["2024-01-01", "?"]), Kind::Date);
        assert_eq!(kind(&["", "NA"]), Kind::Number);
    }
}
