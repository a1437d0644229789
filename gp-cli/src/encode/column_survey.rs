//! Summary of one column, without its rows.

use super::raw::{Levels, RawColumn};
use crate::data::{Column, Frame, Kind, Lookalike, Values};
use crate::error::CliError;
use crate::standardise::{Range, Standardiser, Sum};

/// Limit on counted distinct values of a target, and on distinct words of an input.
pub const MOST_VALUES: usize = 1 << 16;

/// Summary of one column.
#[derive(Clone, Debug)]
pub struct ColumnSurvey {
    pub(super) name: String,
    kind: Kind,
    pub(super) first_place: String,
    pub(super) kept: Kept,
    missing: usize,
    pub(super) values: Surveyed,
}

/// Treatment of an input's missing values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// They are an error.
    Never,
    /// Kept; without missing values in training, an ordinary input.
    WhereMissing,
    /// Kept, with a column that marks missing values even if none is missing.
    Always,
}

/// Summary of values.
#[derive(Clone, Debug)]
pub enum Surveyed {
    /// Mean, range and spread of the present numbers.
    Numbers {
        /// Sum of the present numbers.
        sum: Sum,
        /// Minimum and maximum.
        range: Range,
        /// Scale; the identity until measured.
        scale: Standardiser,
    },
    /// Distinct words, in order of first occurrence.
    Words(Levels),
}

impl ColumnSurvey {
    /// Empty survey of a column; `piece` is the first chunk.
    pub(super) fn begin(column: &Column, piece: &Frame) -> Self {
        Self {
            name: column.name().to_owned(),
            kind: column.kind(),
            first_place: piece.place(0),
            kept: Kept::Never,
            missing: 0,
            values: match column.values() {
                Values::Numbers(_) => Surveyed::Numbers {
                    sum: Sum::default(),
                    range: Range::default(),
                    scale: Standardiser::identity(),
                },
                Values::Levels { .. } => Surveyed::Words(Levels::default()),
            },
        }
    }

    /// Name in the header.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Type of the values.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Summary of the values.
    #[must_use]
    pub fn values(&self) -> &Surveyed {
        &self.values
    }

    /// Mean of the present numbers; None for words.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        match &self.values {
            Surveyed::Numbers { sum, .. } => Some(sum.mean()),
            Surveyed::Words(_) => None,
        }
    }

    /// Minimum of the present numbers; None for words.
    #[must_use]
    pub fn least(&self) -> Option<f64> {
        match &self.values {
            Surveyed::Numbers { range, .. } => Some(range.lowest),
            Surveyed::Words(_) => None,
        }
    }

    /// Maximum of the present numbers; None for words.
    #[must_use]
    pub fn greatest(&self) -> Option<f64> {
        match &self.values {
            Surveyed::Numbers { range, .. } => Some(range.highest),
            Surveyed::Words(_) => None,
        }
    }

    /// Number of missing values.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// `true` if missing values are kept: on request, or because present.
    #[must_use]
    pub fn keeps_missing(&self) -> bool {
        match self.kept {
            Kept::Never => false,
            Kept::WhereMissing => self.missing > 0,
            Kept::Always => true,
        }
    }

    /// Scale of the numbers; None for words.
    #[must_use]
    pub fn scale(&self) -> Option<Standardiser> {
        match &self.values {
            Surveyed::Numbers { scale, .. } => Some(*scale),
            Surveyed::Words(_) => None,
        }
    }

    /// Distinct words, in order of first occurrence; empty for numbers.
    #[must_use]
    pub fn words(&self) -> &[String] {
        match &self.values {
            Surveyed::Words(levels) => levels.words(),
            Surveyed::Numbers { .. } => &[],
        }
    }

    /// Unsupported notation of numbers or dates that the words resemble, if any.
    #[must_use]
    pub fn lookalike(&self) -> Option<Lookalike> {
        match &self.values {
            Surveyed::Words(levels) => Lookalike::among(levels.words()),
            Surveyed::Numbers { .. } => None,
        }
    }

    /// Adds the present numbers, with row weights.
    pub(super) fn add_up(&mut self, numbers: &[f64], weights: Option<&[f64]>) {
        if let Surveyed::Numbers { sum, range, .. } = &mut self.values {
            for (row, &value) in numbers.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
                sum.add_weighed(value, weight_of(weights, row));
                range.add(value);
            }
        }
    }

    /// Adds the rows of a chunk; returns their values, with indices for words.
    pub(super) fn look<'f>(
        &mut self,
        column: &'f Column,
        weights: Option<&[f64]>,
        piece: &Frame,
    ) -> Result<RawColumn<'f>, CliError> {
        match (&mut self.values, column.values()) {
            (Surveyed::Numbers { .. }, Values::Numbers(numbers)) => {
                self.add_up(numbers, weights);
                self.missing += numbers.iter().filter(|value| value.is_nan()).count();
                Ok(RawColumn::Numbers(numbers))
            }
            (Surveyed::Words(all), Values::Levels { codes, levels }) => {
                let places = all.places(codes, levels);
                self.missing += codes.iter().filter(|code| **code == Values::NO_LEVEL).count();
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

pub(super) fn weight_of(weights: Option<&[f64]>, row: usize) -> f64 {
    weights.and_then(|weights| weights.get(row)).copied().unwrap_or(1.0)
}
