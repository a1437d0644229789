//! One input: standardised numbers, words as one column per level, and replacements of missing values.

use super::column_survey::{ColumnSurvey, Surveyed};
use super::survey::Survey;
use crate::data::{Column, Kind, Values};
use crate::error::CliError;
use crate::standardise::{Range, Standardiser};
use gp_optim::format_number;
use serde::{Deserialize, Serialize};

/// Levels that a column of words may have at most to be an input.
pub const MAX_LEVELS: usize = 256;

/// Suffix of the column that marks missing values, after the name of its input.
pub(crate) const MISSING: &str = "(missing)";

/// One column of a table as an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// The name of the column.
    pub name: String,
    /// Its type.
    pub kind: Kind,
    /// Encoding of its values as numbers.
    pub encoding: FeatureEncoding,
    /// The range of its numbers in the data of training. Model files of earlier programs do not have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Replacement of missing values; None if they are errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Filling>,
}

/// Encoding of an input's values as numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureEncoding {
    /// One column of numbers.
    Scaled(Standardiser),
    /// A column for each of these levels, sorted: 1 where the value is that level, else 0. A level that is not among
    /// them is 0 in all.
    OneHot(Vec<String>),
}

/// Replacement of an input's missing values. Points get one more column after the input's others: 1 for a
/// missing value, else 0. Columns of levels are then 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filling {
    /// The number in the place of the value, in the units of the data: the mean of those that are there. Words have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
    /// Number of rows of training that missed the value.
    pub rows: usize,
}

/// Units that numbers can be taken to.
fn sound(survey: &Survey, column: &ColumnSurvey, units: Standardiser) -> Result<Standardiser, CliError> {
    if units.is_sound() {
        return Ok(units);
    }
    let what = "the sum of its numbers is beyond the range of numbers: give them in other units, or leave the column out with --exclude";
    Err(survey.fault(column, what))
}

impl Feature {
    /// The input that a column of a table is; `unit` says the units of its numbers from their own spread.
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
            // Booleans are as they are: 0 and 1 mean something.
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
        Ok(Self { name: name.to_owned(), kind: column.kind(), encoding, range, missing })
    }

    /// Columns of points that it is.
    pub(crate) fn width(&self) -> usize {
        let values = match &self.encoding {
            FeatureEncoding::Scaled(_) => 1,
            FeatureEncoding::OneHot(levels) => levels.len(),
        };
        values + usize::from(self.missing.is_some())
    }

    /// The place of a word among its levels.
    pub(crate) fn level(&self, word: &str) -> Option<f64> {
        match &self.encoding {
            FeatureEncoding::OneHot(levels) => {
                levels.binary_search_by(|level| level.as_str().cmp(word)).ok().map(|place| place as f64)
            }
            FeatureEncoding::Scaled(_) => None,
        }
    }

    /// Their names.
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

    /// The units of each of these columns.
    pub(crate) fn units(&self) -> Vec<f64> {
        let mut units = vec![1.0; self.width()];
        if let FeatureEncoding::Scaled(standardiser) = &self.encoding {
            units[0] = standardiser.scale;
        }
        units
    }

    /// The number that stands for a missing one, in the units of the model.
    pub(super) fn filled(&self) -> Option<f64> {
        match (&self.encoding, self.missing?.number) {
            (FeatureEncoding::Scaled(scale), Some(number)) => Some(scale.apply(number)),
            _ => None,
        }
    }

    /// Sets what is not zero, by row and column; returns a level that is not known.
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
            // Columns are read as the types they had in training.
            _ => None,
        }
    }

    /// Treatment of its missing values in training, for people; None if they are errors.
    #[must_use]
    pub fn about_missing(&self) -> Option<String> {
        let Filling { number, rows } = self.missing?;
        let place = match number {
            Some(number) => format!("filled with {} and marked in a column of their own", self.text(number)),
            None => "a level of their own".to_owned(),
        };
        Some(format!("{} in {rows} ({place})", self.name))
    }

    /// A value as people write it, to six digits.
    fn text(&self, number: f64) -> String {
        match self.kind {
            Kind::Date => Kind::Date.text(number.round()),
            _ => format!("{number:.5e}").parse().map_or_else(|_| number.to_string(), format_number),
        }
    }

    /// Fault of a tampered file.
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

/// The levels of a column, in the order of their names.
fn sorted(survey: &Survey, column: &ColumnSurvey, words: &[String]) -> Result<Vec<String>, CliError> {
    if words.len() > MAX_LEVELS {
        let like = column.lookalike().map_or_else(String::new, |like| format!("; {like}"));
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
