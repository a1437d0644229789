//! Inputs: numbers, and columns per level.

use super::column_survey::ColumnSurvey;
use super::feature::{Feature, FeatureEncoding};
use super::survey::Survey;
use super::units::{FEWEST, OneKind};
use crate::data::{Column, FILL_OR_DROP, Frame, Kind, ReadOptions};
use crate::error::CliError;
use crate::shown::shown;
use crate::standardise::Standardiser;
use faer::Mat;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

const NEVER_BEFORE: &str = ", as it never was in training; fill it in, leave out all such rows with --missing drop, or fit the model anew with --missing-in COL=keep";

/// Columns, encoded as points in D dimensions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Inputs {
    features: Vec<Feature>,
}

/// Points and unseen levels.
#[derive(Clone, Debug)]
pub struct Encoded {
    /// N×D.
    pub points: Mat<f64>,
    /// First unseen level per column.
    pub unseen: Vec<Unseen>,
}

/// Word absent from training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// Name in the table.
    pub column: String,
    /// Unseen word.
    pub level: String,
}

impl fmt::Display for Unseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (column, level) = (shown(&self.column), shown(&self.level));
        write!(f, "column {column}: `{level}` did not occur in training; treated as unknown")
    }
}

impl Encoded {
    /// One line per unseen level.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.unseen.iter().map(Unseen::to_string).collect()
    }
}

impl Inputs {
    /// With `standardise`, numbers are scaled, similar inputs by a common scale.
    ///
    /// # Errors
    /// [`Data`](crate::ErrorKind::Data) for more than [`MAX_LEVELS`](super::MAX_LEVELS) levels, or no values.
    pub fn learn(survey: &Survey, standardise: bool) -> Result<Self, CliError> {
        let kind = OneKind::among(survey.features());
        let unit = |column: &ColumnSurvey, own| match (standardise, &kind) {
            (false, _) => Standardiser::identity(),
            (true, None) => own,
            (true, Some(kind)) => kind.unit(column, own),
        };
        let features = survey.features().iter().map(|column| Feature::learn(survey, column, &unit));
        Ok(Self { features: features.collect::<Result<_, _>>()? })
    }

    /// By position.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Names of features.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.features.iter().map(|feature| feature.name.as_str()).collect()
    }

    /// Input dimension D.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.features.iter().map(Feature::width).sum()
    }

    /// One per point column: `age`, or `colour=red`.
    #[must_use]
    pub fn column_names(&self) -> Vec<String> {
        self.features.iter().flat_map(Feature::column_names).collect()
    }

    /// Data units per model unit; 1 for levels.
    #[must_use]
    pub fn units(&self) -> Vec<f64> {
        self.features.iter().flat_map(Feature::units).collect()
    }

    #[must_use]
    pub(crate) fn are_of_one_kind(&self) -> bool {
        let mut scales = self.features.iter().map(Feature::own_scale);
        let first = scales.next().flatten();
        self.features.len() >= FEWEST && first.is_some() && scales.all(|scale| scale == first)
    }

    /// Point columns per feature.
    #[must_use]
    pub fn places(&self) -> Vec<Range<usize>> {
        let widths = self.features.iter().map(Feature::width);
        let place = |end: &mut usize, width: usize| {
            *end += width;
            Some(*end - width..*end)
        };
        widths.scan(0, place).collect()
    }

    /// Columns to read, with types.
    #[must_use]
    pub fn kinds(&self) -> BTreeMap<String, Kind> {
        self.features.iter().map(|feature| (feature.name.clone(), feature.kind)).collect()
    }

    /// Adds columns and training types.
    pub fn extend(&self, options: &mut ReadOptions) {
        let names = self.features.iter().map(|feature| feature.name.clone());
        options.columns.get_or_insert_default().extend(names);
        options.kinds.extend(self.kinds());
    }

    /// `true` if missing values are replaced.
    #[must_use]
    pub fn keep_missing(&self) -> bool {
        self.features.iter().any(|feature| feature.missing.is_some())
    }

    /// Remark on missing training values; empty if refused.
    #[must_use]
    pub fn about_missing(&self) -> String {
        self.features.iter().filter_map(Feature::about_missing).collect::<Vec<_>>().join(", ")
    }

    fn refuse_missing(&self, frame: &Frame, columns: &[&Column]) -> Result<(), CliError> {
        let strict = self.features.iter().zip(columns).filter(|(feature, _)| feature.missing.is_none());
        let strict: Vec<&Column> = strict.map(|(_, &column)| column).collect();
        let advice = if self.keep_missing() { NEVER_BEFORE } else { FILL_OR_DROP };
        frame.refuse_missing(&strict, advice)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.features.iter().try_for_each(Feature::check)
    }

    /// Points of a table.
    ///
    /// # Errors
    /// [`Data`](crate::ErrorKind::Data) for a column missing or of another type, a missing value not replaced, or a
    /// number too far from training.
    pub fn encode(&self, frame: &Frame) -> Result<Encoded, CliError> {
        let columns = frame.require(&self.names())?;
        self.refuse_missing(frame, &columns)?;
        let mut points = Mat::zeros(frame.row_count(), self.dim());
        let (mut first, mut unseen) = (0, Vec::new());
        for (feature, column) in self.features.iter().zip(columns) {
            if let Some((row, value)) = feature.giant(column) {
                let what = format!("{value:e} is too far from the numbers of training for a prediction");
                return Err(frame.fault(row, &feature.name, &what));
            }
            let mut place = points.as_mut().subcols_mut(first, feature.width());
            let level = feature.fill(column, |row, at, value| place[(row, at)] = value);
            unseen
                .extend(level.map(|level| Unseen { column: feature.name.clone(), level: level.to_owned() }));
            first += feature.width();
        }
        Ok(Encoded { points, unseen })
    }

    /// Points of rows of numbers; words are given as [level](Feature::level), unknown ones by other numbers.
    #[must_use]
    pub(crate) fn points_at(&self, rows: &[Vec<f64>]) -> Mat<f64> {
        let mut points = Mat::zeros(rows.len(), self.dim());
        for (row, values) in rows.iter().enumerate() {
            for ((feature, place), &value) in self.features.iter().zip(self.places()).zip(values) {
                match &feature.encoding {
                    _ if value.is_nan() && feature.missing.is_some() => {
                        points[(row, place.start)] = feature.filled().unwrap_or(0.0);
                        points[(row, place.end - 1)] = 1.0;
                    }
                    FeatureEncoding::Scaled(scale) => points[(row, place.start)] = scale.apply(value),
                    FeatureEncoding::OneHot(levels) if value >= 0.0 && (value as usize) < levels.len() => {
                        points[(row, place.start + value as usize)] = 1.0;
                    }
                    FeatureEncoding::OneHot(_) => {}
                }
            }
        }
        points
    }

    pub(crate) fn widen(&mut self, frame: &Frame) {
        for feature in &mut self.features {
            let numbers = frame.column(&feature.name).and_then(|column| column.numbers());
            if let (Some(range), Some(numbers)) = (&mut feature.range, numbers) {
                feature.days &= numbers.iter().all(|number| number.is_nan() || number.fract() == 0.0);
                numbers.iter().filter(|number| !number.is_nan()).for_each(|&number| range.add(number));
            }
        }
    }
}
