//! Summary of one column, without rows.

use super::extremes::Extremes;
use super::outlier::Outlier;
use super::raw::{Levels, RawColumn};
use crate::data::{Column, Frame, Kind, Lookalike, Values, is_date_in_digits, is_plain_date};
use crate::error::CliError;
use crate::standardise::{Range, Standardiser, Sum};
use serde::{Deserialize, Serialize};

/// Maximum distinct values per target, and words per input.
pub const MAX_VALUES: usize = 1 << 16;
pub(crate) const DIGIT_DATES: &str =
    "its numbers look like dates, such as 20240229; --type COLUMN=date reads them as dates";
/// Largest number with finite square, about.
pub(crate) const LARGEST: f64 = 1e150;

/// Summary without rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ColumnSurvey {
    pub(super) name: String,
    kind: Kind,
    pub(super) first_place: String,
    pub(super) kept: Kept,
    /// `true` if text distinguishes values.
    pub(super) is_by_text: bool,
    pub(super) missing: usize,
    pub(super) no_date: Option<String>,
    pub(super) holds_digit_dates: bool,
    pub(super) are_whole: bool,
    pub(super) giant: Option<(f64, String)>,
    pub(super) extremes: Extremes,
    pub(super) values: Surveyed,
}

/// Treatment of missing inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kept {
    /// An error.
    Never,
    /// Kept; an ordinary input if none is missing in training.
    WhereMissing,
    /// Kept, always with a marking column.
    Always,
}

/// Summarised values.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Surveyed {
    /// Present values.
    Numbers {
        /// Weighted sum.
        sum: Sum,
        /// Minimum and maximum.
        range: Range,
        /// Mean and spread; identity until measured.
        scale: Standardiser,
    },
    /// Distinct, by first occurrence.
    Words(Levels),
}

impl ColumnSurvey {
    /// Empty survey; `piece` is the first chunk.
    pub(super) fn begin(column: &Column, piece: &Frame) -> Self {
        Self {
            name: column.name().to_owned(),
            kind: column.kind(),
            first_place: piece.place(0),
            kept: Kept::Never,
            is_by_text: false,
            missing: 0,
            no_date: None,
            holds_digit_dates: true,
            are_whole: true,
            giant: None,
            extremes: Extremes::default(),
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

    /// Empty survey; text distinguishes even numbers.
    pub(super) fn by_text(column: &Column, piece: &Frame) -> Self {
        let values = Surveyed::Words(Levels::default());
        Self { is_by_text: true, values, ..Self::begin(column, piece) }
    }

    /// Name in the header.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Column type.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Numbers or words, summarised.
    #[must_use]
    pub fn values(&self) -> &Surveyed {
        &self.values
    }

    /// Mean of present numbers; None for words.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        match &self.values {
            Surveyed::Numbers { sum, .. } => Some(sum.mean()),
            Surveyed::Words(_) => None,
        }
    }

    /// Minimum; None for words.
    #[must_use]
    pub fn least(&self) -> Option<f64> {
        match &self.values {
            Surveyed::Numbers { range, .. } => Some(range.lowest),
            Surveyed::Words(_) => None,
        }
    }

    /// Maximum; None for words.
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

    /// `true` if values are missing and kept, or always kept.
    #[must_use]
    pub fn keeps_missing(&self) -> bool {
        match self.kept {
            Kept::Never => false,
            Kept::WhereMissing => self.missing > 0,
            Kept::Always => true,
        }
    }

    /// None for words.
    #[must_use]
    pub fn scale(&self) -> Option<Standardiser> {
        match &self.values {
            Surveyed::Numbers { scale, .. } => Some(*scale),
            Surveyed::Words(_) => None,
        }
    }

    /// By first occurrence; empty for numbers.
    #[must_use]
    pub fn words(&self) -> &[String] {
        match &self.values {
            Surveyed::Words(levels) => levels.words(),
            Surveyed::Numbers { .. } => &[],
        }
    }

    /// Unsupported notation of numbers or dates.
    #[must_use]
    pub fn lookalike(&self) -> Option<Lookalike> {
        match &self.values {
            Surveyed::Words(levels) => {
                Lookalike::among(levels.words()).map(|like| like.at(self.no_date.clone()))
            }
            Surveyed::Numbers { .. } => None,
        }
    }

    /// `true` if numbers vary and all look like dates (20240229).
    #[must_use]
    pub fn holds_digit_dates(&self) -> bool {
        let varies = |range: &Range| range.lowest < range.highest;
        matches!(&self.values, Surveyed::Numbers { range, .. } if varies(range))
            && self.kind == Kind::Number
            && self.holds_digit_dates
    }

    /// `true` for dates without times.
    #[must_use]
    pub fn holds_days(&self) -> bool {
        self.kind == Kind::Date && self.are_whole
    }

    /// First number whose square overflows, and its place.
    #[must_use]
    pub fn giant(&self) -> Option<(f64, &str)> {
        self.giant.as_ref().map(|(number, place)| (*number, place.as_str()))
    }

    /// Numbers far from others.
    #[must_use]
    pub fn outlier(&self) -> Option<Outlier> {
        self.extremes.outlier()
    }

    pub(super) fn too_many_words(&self) -> String {
        let like = self.lookalike().map_or_else(String::new, |like| format!("; {like}"));
        format!("more than {MAX_VALUES} different words; leave the column out with --exclude{like}")
    }

    pub(super) fn add_up(&mut self, numbers: &[f64], weights: Option<&[f64]>) {
        if let Surveyed::Numbers { sum, range, .. } = &mut self.values {
            for (row, &value) in numbers.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
                sum.add_weighed(value, weight_of(weights, row));
                range.add(value);
            }
        }
    }

    fn note_odd_numbers(&mut self, numbers: &[f64], piece: &Frame) {
        let mut known = numbers.iter().filter(|value| !value.is_nan());
        self.holds_digit_dates = self.holds_digit_dates && known.all(|&value| is_date_in_digits(value));
        let mut known = numbers.iter().filter(|value| !value.is_nan());
        self.are_whole = self.are_whole && known.all(|value| value.fract() == 0.0);
        if self.giant.is_none() {
            let row = numbers.iter().position(|value| value.abs() > LARGEST);
            self.giant = row.map(|row| (numbers[row], piece.place(row)));
        }
    }

    /// Adds a chunk; returns its values.
    pub(super) fn add<'f>(
        &mut self,
        column: &'f Column,
        weights: Option<&[f64]>,
        piece: &Frame,
    ) -> Result<RawColumn<'f>, CliError> {
        match (&mut self.values, column.values()) {
            (Surveyed::Words(all), _) if self.is_by_text => {
                Ok(RawColumn::Own(all.places_by_text(column).into_iter().map(f64::from).collect()))
            }
            (Surveyed::Numbers { .. }, Values::Numbers(numbers)) => {
                self.add_up(numbers, weights);
                self.missing += numbers.iter().filter(|value| value.is_nan()).count();
                self.note_odd_numbers(numbers, piece);
                self.extremes.add(numbers, piece);
                Ok(RawColumn::Numbers(numbers))
            }
            (Surveyed::Words(all), Values::Levels { codes, levels }) => {
                let (before, places) = (all.words().len(), all.places(codes, levels));
                if self.no_date.is_none() {
                    self.no_date =
                        first_no_date(&all.words()[before..], codes, levels).map(|row| piece.place(row));
                }
                self.missing += codes.iter().filter(|code| **code == Values::NO_LEVEL).count();
                if all.words().len() > MAX_VALUES {
                    return Err(piece.fault(0, &self.name, &self.too_many_words()));
                }
                Ok(RawColumn::Words { codes, places })
            }
            _ => Err(piece.fault(0, &self.name, "it is of another type here than before")),
        }
    }
}

/// First row of a non-date.
fn first_no_date(words: &[String], codes: &[u32], levels: &[String]) -> Option<usize> {
    let word = words.iter().find(|word| !is_plain_date(word))?;
    codes.iter().position(|&code| levels.get(code as usize) == Some(word))
}

pub(super) fn weight_of(weights: Option<&[f64]>, row: usize) -> f64 {
    weights.and_then(|weights| weights.get(row)).copied().unwrap_or(1.0)
}
