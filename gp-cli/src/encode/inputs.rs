//! Inputs: numbers in units of their spread, words as one column a level.

use super::column_survey::{ColumnSurvey, Surveyed};
use super::survey::Survey;
use super::units::OneKind;
use crate::data::{Column, Frame, Kind, ReadOptions, Values};
use crate::error::CliError;
use crate::standardise::Standardiser;
use faer::Mat;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// Levels that a column of words may have at most to be an input.
pub const MAX_LEVELS: usize = 256;

/// The inputs of a model: which columns of a table they are, and how they become the D columns of its points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inputs {
    features: Vec<Feature>,
}

/// One column of a table as an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// The name of the column.
    pub name: String,
    /// Its type.
    pub kind: Kind,
    /// How its values become numbers.
    pub encoding: FeatureEncoding,
}

/// How the values of an input become numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureEncoding {
    /// One column of numbers.
    Scaled(Standardiser),
    /// A column for each of these levels, sorted: 1 where the value is that level, else 0. A level that is not among
    /// them is 0 in all.
    OneHot(Vec<String>),
}

/// Points, and what was unusual about them.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// N×D, a row a point.
    pub points: Mat<f64>,
    /// Levels that were not seen in training, the first of each column that has such.
    pub unseen: Vec<Unseen>,
}

/// A level that was not seen in training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// The name of the column it is in.
    pub column: String,
    /// The word, as the table has it.
    pub level: String,
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { column, level } = self;
        write!(
            f,
            "column {column}: level `{level}` was not seen in training; such rows are none of the levels known"
        )
    }
}

impl Encoded {
    /// What is worth knowing, in lines.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.unseen.iter().map(Unseen::to_string).collect()
    }
}

impl Inputs {
    /// Inputs of the features of a table; numbers are in units of their spread, of that of all inputs that are one kind
    /// of thing, or as they are.
    ///
    /// # Errors
    /// Of kind [`Data`](crate::ErrorKind::Data) for words of more than [`MAX_LEVELS`] levels.
    pub fn learn(survey: &Survey, standardise: bool) -> Result<Self, CliError> {
        let kind = OneKind::among(survey.features());
        let unit = |column: &ColumnSurvey, own| match (standardise, &kind) {
            (false, _) => Standardiser::identity(),
            (true, None) => own,
            (true, Some(kind)) => kind.unit(column, own),
        };
        let features = survey.features().iter().map(|column| feature(survey, column, &unit));
        Ok(Self { features: features.collect::<Result<_, _>>()? })
    }

    /// The columns.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Their names.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.features.iter().map(|feature| feature.name.as_str()).collect()
    }

    /// D.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.features.iter().map(Feature::width).sum()
    }

    /// A name for each of the D columns of points: `age`, or `colour=red` for a level.
    #[must_use]
    pub fn column_names(&self) -> Vec<String> {
        self.features.iter().flat_map(Feature::column_names).collect()
    }

    /// Which of the D columns of points each feature is.
    #[must_use]
    pub fn places(&self) -> Vec<Range<usize>> {
        let widths = self.features.iter().map(Feature::width);
        let place = |end: &mut usize, width: usize| {
            *end += width;
            Some(*end - width..*end)
        };
        widths.scan(0, place).collect()
    }

    /// What has to be read of a table for its points: the columns by their types.
    #[must_use]
    pub fn kinds(&self) -> BTreeMap<String, Kind> {
        self.features.iter().map(|feature| (feature.name.clone(), feature.kind)).collect()
    }

    /// Asks for these columns, in addition to others, as they were in training.
    pub fn extend(&self, options: &mut ReadOptions) {
        let names = self.features.iter().map(|feature| feature.name.clone());
        options.columns.get_or_insert_default().extend(names);
        options.kinds.extend(self.kinds());
    }

    /// The points in a table.
    ///
    /// # Errors
    /// Of kind [`Data`](crate::ErrorKind::Data) for a column that is not there or of another type, and a value that is
    /// missing.
    pub fn encode(&self, frame: &Frame) -> Result<Encoded, CliError> {
        let columns = frame.require(&self.names())?;
        frame.refuse_missing(&columns)?;
        let mut points = Mat::zeros(frame.row_count(), self.dim());
        let (mut first, mut unseen) = (0, Vec::new());
        for (feature, column) in self.features.iter().zip(columns) {
            let mut place = points.as_mut().subcols_mut(first, feature.width());
            let level = feature.fill(column, |row, at, value| place[(row, at)] = value);
            unseen
                .extend(level.map(|level| Unseen { column: feature.name.clone(), level: level.to_owned() }));
            first += feature.width();
        }
        Ok(Encoded { points, unseen })
    }
}

fn feature(
    survey: &Survey,
    column: &ColumnSurvey,
    unit: &impl Fn(&ColumnSurvey, Standardiser) -> Standardiser,
) -> Result<Feature, CliError> {
    let encoding = match column.values() {
        // Booleans are as they are: 0 and 1 mean something.
        Surveyed::Numbers { .. } if column.kind() == Kind::Boolean => {
            FeatureEncoding::Scaled(Standardiser::identity())
        }
        Surveyed::Numbers { scale, .. } => FeatureEncoding::Scaled(unit(column, *scale)),
        Surveyed::Words(levels) => {
            let mut seen = levels.words().to_vec();
            if seen.len() > MAX_LEVELS {
                let like = column.lookalike().map_or_else(String::new, |like| format!("; {like}"));
                let what = format!(
                    "{} different words, and an input may have {MAX_LEVELS}; leave it out with --exclude{like}",
                    seen.len()
                );
                return Err(survey.fault(column, &what));
            }
            seen.sort();
            FeatureEncoding::OneHot(seen)
        }
    };
    Ok(Feature { name: column.name().to_owned(), kind: column.kind(), encoding })
}

impl Feature {
    /// Columns of points that it is.
    pub(crate) fn width(&self) -> usize {
        match &self.encoding {
            FeatureEncoding::Scaled(_) => 1,
            FeatureEncoding::OneHot(levels) => levels.len(),
        }
    }

    fn column_names(&self) -> Vec<String> {
        match &self.encoding {
            FeatureEncoding::Scaled(_) => vec![self.name.clone()],
            FeatureEncoding::OneHot(levels) => {
                levels.iter().map(|level| format!("{}={level}", self.name)).collect()
            }
        }
    }

    /// Sets what is not zero, by row and column; returns a level that is not known.
    fn fill<'c>(&self, column: &'c Column, mut set: impl FnMut(usize, usize, f64)) -> Option<&'c str> {
        match (&self.encoding, column.values()) {
            (FeatureEncoding::Scaled(scale), Values::Numbers(numbers)) => {
                numbers.iter().enumerate().for_each(|(row, &value)| set(row, 0, scale.apply(value)));
                None
            }
            (FeatureEncoding::OneHot(known), Values::Levels { codes, levels }) => {
                let places: Vec<Option<usize>> =
                    levels.iter().map(|level| known.binary_search(level).ok()).collect();
                let mut unseen = None;
                for (row, &code) in codes.iter().enumerate() {
                    match places[code as usize] {
                        Some(place) => set(row, place, 1.0),
                        None => unseen = unseen.or(Some(levels[code as usize].as_str())),
                    }
                }
                unseen
            }
            // Columns are read as the types they had in training.
            _ => None,
        }
    }
}
