//! Input: standardised number or columns per level.

use super::column_survey::{ColumnSurvey, LARGEST, Surveyed};
use super::survey::Survey;
use crate::data::{Column, Kind, Values, are_numbers, quoted};
use crate::error::CliError;
use crate::standardise::{Range, Standardiser};
use gp_optim::format_number;
use serde::{Deserialize, Serialize};

/// Maximum levels per input.
pub const MAX_LEVELS: usize = 256;

/// Suffix of columns that mark missing values.
pub(crate) const MISSING: &str = "(missing)";

/// Input from a table column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Column name.
    pub name: String,
    /// Column type.
    pub kind: Kind,
    /// Encoding as point columns.
    pub encoding: FeatureEncoding,
    /// Training range; absent from old files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// `true` for dates without times; absent from old files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub days: bool,
    /// Replacement of missing values; None refuses them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Filling>,
}

/// Encoding of values as numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureEncoding {
    /// One column of numbers.
    Scaled(Standardiser),
    /// One column per sorted level: 1 there, else 0. Unknown levels are all 0.
    OneHot(Vec<String>),
}

/// Replacement of missing values. A further, last column is 1 if missing (all level columns are then 0), else 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filling {
    /// Mean of numbers, in data units; None for words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
    /// Training rows without a value.
    pub rows: usize,
}

fn sound(survey: &Survey, column: &ColumnSurvey, units: Standardiser) -> Result<Standardiser, CliError> {
    if units.is_sound() {
        return Ok(units);
    }
    let what = match column.giant() {
        Some((giant, _)) => {
            format!(
                "{giant:e} is too large, and sums over the column are beyond the range of numbers: correct it"
            )
        }
        None => "the sum of its numbers is beyond the range of numbers".to_owned(),
    };
    let what = format!("{what}; give the column in other units, or leave it out with --exclude");
    Err(survey.fault(column, &what))
}

impl Feature {
    /// Learns the encoding; `unit` maps own scale to used scale.
    pub(super) fn learn(
        survey: &Survey,
        column: &ColumnSurvey,
        unit: &impl Fn(&ColumnSurvey, Standardiser) -> Standardiser,
    ) -> Result<Self, CliError> {
        let name = column.name();
        if column.missing() == survey.rows() {
            let what = format!("every value is missing; leave the column out with --exclude {name}");
            return Err(survey.fault(column, &what));
        }
        let encoding = match column.values() {
            // Booleans stay 0 and 1.
            Surveyed::Numbers { .. } if column.kind() == Kind::Boolean => {
                FeatureEncoding::Scaled(Standardiser::identity())
            }
            Surveyed::Numbers { scale, .. } => {
                FeatureEncoding::Scaled(sound(survey, column, unit(column, *scale))?)
            }
            Surveyed::Words(levels) => FeatureEncoding::OneHot(sorted(survey, column, levels.words())?),
        };
        let missing =
            column.keeps_missing().then(|| Filling { number: column.mean(), rows: column.missing() });
        let range = match column.values() {
            Surveyed::Numbers { range, .. } if column.kind() != Kind::Boolean => Some(*range),
            _ => None,
        };
        Ok(Self {
            name: name.to_owned(),
            kind: column.kind(),
            encoding,
            range,
            days: column.holds_days(),
            missing,
        })
    }

    pub(crate) fn width(&self) -> usize {
        let values = match &self.encoding {
            FeatureEncoding::Scaled(_) => 1,
            FeatureEncoding::OneHot(levels) => levels.len(),
        };
        values + usize::from(self.missing.is_some())
    }

    pub(crate) fn level(&self, word: &str) -> Option<f64> {
        match &self.encoding {
            FeatureEncoding::OneHot(levels) => {
                levels.binary_search_by(|level| level.as_str().cmp(word)).ok().map(|place| place as f64)
            }
            FeatureEncoding::Scaled(_) => None,
        }
    }

    pub(super) fn column_names(&self) -> Vec<String> {
        let mut names = match &self.encoding {
            FeatureEncoding::Scaled(_) => vec![self.name.clone()],
            FeatureEncoding::OneHot(levels) => {
                levels.iter().map(|level| format!("{}={level}", self.name)).collect()
            }
        };
        names.extend(self.missing.map(|_| format!("{}={MISSING}", self.name)));
        names
    }

    /// Data units per model unit.
    pub(crate) fn units(&self) -> Vec<f64> {
        let mut units = vec![1.0; self.width()];
        if let FeatureEncoding::Scaled(standardiser) = &self.encoding {
            units[0] = standardiser.scale;
        }
        units
    }

    /// Scale of numbers other than booleans; None if missing values are replaced.
    pub(super) fn own_scale(&self) -> Option<f64> {
        match &self.encoding {
            FeatureEncoding::Scaled(standardiser) if self.range.is_some() && self.missing.is_none() => {
                Some(standardiser.scale)
            }
            _ => None,
        }
    }

    pub(super) fn filled(&self) -> Option<f64> {
        match (&self.encoding, self.missing?.number) {
            (FeatureEncoding::Scaled(scale), Some(number)) => Some(scale.apply(number)),
            _ => None,
        }
    }

    /// Calls `set(row, column, value)` unless 0; returns the first unknown level.
    pub(super) fn fill<'c>(
        &self,
        column: &'c Column,
        mut set: impl FnMut(usize, usize, f64),
    ) -> Option<&'c str> {
        match (&self.encoding, column.values()) {
            (FeatureEncoding::Scaled(scale), Values::Numbers(numbers)) => {
                let filled = self.filled();
                for (row, &value) in numbers.iter().enumerate() {
                    match filled.filter(|_| value.is_nan()) {
                        Some(filled) => {
                            set(row, 0, filled);
                            set(row, 1, 1.0);
                        }
                        None => set(row, 0, scale.apply(value)),
                    }
                }
                None
            }
            (FeatureEncoding::OneHot(known), Values::Levels { codes, levels }) => {
                let places: Vec<Option<usize>> =
                    levels.iter().map(|level| known.binary_search(level).ok()).collect();
                let mut unseen = None;
                for (row, &code) in codes.iter().enumerate() {
                    match places.get(code as usize) {
                        Some(Some(place)) => set(row, *place, 1.0),
                        Some(None) => unseen = unseen.or(Some(levels[code as usize].as_str())),
                        None => set(row, known.len(), 1.0),
                    }
                }
                unseen
            }
            // Columns have their training types.
            _ => None,
        }
    }

    /// Row and value of the first number whose square overflows.
    pub(super) fn giant(&self, column: &Column) -> Option<(usize, f64)> {
        let FeatureEncoding::Scaled(scale) = &self.encoding else { return None };
        let is_giant = |value: f64| !value.is_nan() && scale.apply(value).abs() > LARGEST;
        column.numbers()?.iter().copied().enumerate().find(|(_, value)| is_giant(*value))
    }

    /// Remark on missing training values; None if refused.
    #[must_use]
    pub fn about_missing(&self) -> Option<String> {
        let Filling { number, rows } = self.missing?;
        let place = match number {
            Some(number) => format!("filled with {} and marked in a column of their own", self.text(number)),
            None => "a level of their own".to_owned(),
        };
        Some(format!("{} in {rows} ({place})", self.name))
    }

    fn text(&self, number: f64) -> String {
        match self.kind {
            Kind::Date => Kind::Date.text(number.round()),
            _ => format!("{number:.5e}").parse().map_or_else(|_| number.to_string(), format_number),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let is_number = matches!(self.encoding, FeatureEncoding::Scaled(_));
        match self.missing {
            Some(Filling { number, .. }) if number.is_some_and(f64::is_finite) != is_number => {
                Err(format!("nothing that stands for a missing value of {}", self.name))
            }
            _ => Ok(()),
        }
    }
}

pub(crate) fn too_many_words(name: &str, words: &[String], rows: usize) -> Option<String> {
    let (count, name) = (words.len(), quoted(name));
    (count > MAX_LEVELS.min(rows / 2)).then(|| {
        if are_numbers(words) {
            format!("{count} numbers are stored as words; --type {name}=number reads them as numbers")
        } else {
            format!(
                "{count} different words in {rows} rows are too many to learn from; leave it out with --exclude {name}"
            )
        }
    })
}

fn sorted(survey: &Survey, column: &ColumnSurvey, words: &[String]) -> Result<Vec<String>, CliError> {
    if words.len() > MAX_LEVELS {
        let mut like = column.lookalike().map_or_else(String::new, |like| format!("; {like}"));
        if are_numbers(words) {
            like = format!(", or read these numbers as such with --type {}=number", quoted(column.name()));
        }
        let what = format!(
            "{} different words, and an input may have {MAX_LEVELS}; leave it out with --exclude{like}",
            words.len()
        );
        return Err(survey.fault(column, &what));
    }
    let mut levels = words.to_vec();
    levels.sort();
    Ok(levels)
}
