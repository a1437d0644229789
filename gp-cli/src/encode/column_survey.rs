//! What is known of one column of a table without its rows.

use super::raw::{Levels, RawColumn};
use super::survey::MOST_VALUES;
use crate::data::{Column, Frame, Kind, Lookalike, Values};
use crate::error::CliError;
use crate::standardise::{Range, Standardiser, Sum};

/// One column of a survey.
#[derive(Clone, Debug)]
pub struct ColumnSurvey {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Where the first row stands.
    pub(super) first_place: String,
    pub(super) values: Surveyed,
}

/// What is known of values.
#[derive(Clone, Debug)]
pub enum Surveyed {
    /// Numbers are known by their mean, their range and their spread.
    Numbers {
        /// Their sum.
        sum: Sum,
        /// The lowest and the highest.
        range: Range,
        /// Their units, once they have been measured.
        scale: Standardiser,
    },
    /// Words are known one by one, in the order in which they occur first.
    Words(Levels),
}

impl ColumnSurvey {
    /// What the header calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it holds.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What is known of its values.
    #[must_use]
    pub fn values(&self) -> &Surveyed {
        &self.values
    }

    /// The units of its numbers, unless it holds words.
    #[must_use]
    pub fn scale(&self) -> Option<Standardiser> {
        match &self.values {
            Surveyed::Numbers { scale, .. } => Some(*scale),
            Surveyed::Words(_) => None,
        }
    }

    /// What the words look like, where they are not meant as words.
    #[must_use]
    pub fn lookalike(&self) -> Option<Lookalike> {
        match &self.values {
            Surveyed::Words(levels) => Lookalike::among(levels.words()),
            Surveyed::Numbers { .. } => None,
        }
    }

    pub(super) fn add_up(&mut self, numbers: &[f64], weights: Option<&[f64]>) {
        if let Surveyed::Numbers { sum, range, .. } = &mut self.values {
            for (row, &value) in numbers.iter().enumerate() {
                sum.add_weighed(value, weight_of(weights, row));
                range.add(value);
            }
        }
    }

    pub(super) fn look<'f>(
        &mut self,
        column: &'f Column,
        weights: Option<&[f64]>,
        piece: &Frame,
    ) -> Result<RawColumn<'f>, CliError> {
        match (&mut self.values, column.values()) {
            (Surveyed::Numbers { .. }, Values::Numbers(numbers)) => {
                self.add_up(numbers, weights);
                Ok(RawColumn::Numbers(numbers))
            }
            (Surveyed::Words(all), Values::Levels { codes, levels }) => {
                let places = all.places(codes, levels);
                if all.words().len() > MOST_VALUES {
                    let like =
                        Lookalike::among(all.words()).map_or_else(String::new, |like| format!("; {like}"));
                    let what = format!(
                        "more than {MOST_VALUES} different words; leave the column out with --exclude{like}"
                    );
                    return Err(piece.fault(0, &self.name, &what));
                }
                Ok(RawColumn::Words { codes, places })
            }
            _ => Err(piece.fault(0, &self.name, "it is of another type here than before")),
        }
    }
}

/// That of a row, 1 where nothing was said.
pub(super) fn weight_of(weights: Option<&[f64]>, row: usize) -> f64 {
    weights.and_then(|weights| weights.get(row)).copied().unwrap_or(1.0)
}
