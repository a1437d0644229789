//! Rows of numbers as a survey hands them out, to points and observations.

use super::column_survey::{ColumnSurvey, Surveyed};
use super::feature::FeatureEncoding;
use super::inputs::Inputs;
use super::survey::Survey;
use super::target::{Target, TargetValues};
use crate::error::CliError;
use crate::standardise::Standardiser;
use gp_likelihoods::Support;
use std::collections::HashMap;

/// How a row of one number a feature, and one for the target, becomes a point and an observation: the same bits as by
/// [`Inputs::encode`] and [`Target::encode`].
#[derive(Clone, Debug)]
pub struct RowEncoder {
    features: Vec<Encoding>,
    target: TargetEncoding,
    dim: usize,
}

#[derive(Clone, Debug)]
enum Encoding {
    /// With the number that stands for a missing one, where a further column marks it.
    Scaled(Standardiser, Option<f64>),
    /// The columns of levels by their places in the survey.
    OneHot { columns: Vec<usize>, width: usize },
}

#[derive(Clone, Debug)]
enum TargetEncoding {
    Number(Standardiser),
    /// By the places of words in the survey.
    Words(Vec<f64>),
    /// By the bits of numbers.
    Numbers(HashMap<u64, f64>),
}

impl RowEncoder {
    /// For the rows of a survey that inputs and target were learned from.
    ///
    /// # Errors
    /// None where they were.
    pub fn new(
        survey: &Survey,
        inputs: &Inputs,
        target: &Target,
        support: Support,
    ) -> Result<Self, CliError> {
        let pairs = inputs.features().iter().zip(survey.features());
        let features = pairs.map(|(feature, column)| match &feature.encoding {
            FeatureEncoding::Scaled(scale) => Encoding::Scaled(*scale, feature.filled()),
            FeatureEncoding::OneHot(levels) => {
                let column_of = |word: &String| levels.binary_search(word).unwrap_or_default();
                let columns = words(column).iter().map(column_of).collect();
                Encoding::OneHot { columns, width: feature.width() }
            }
        });
        let encoding = match &target.values {
            TargetValues::Number(scale) => TargetEncoding::Number(*scale),
            TargetValues::Classes(labels) => {
                let known: HashMap<&str, f64> = labels
                    .iter()
                    .enumerate()
                    .map(|(class, label)| (label.as_str(), support.label(class)))
                    .collect();
                let label = |text: &String| known.get(text.as_str()).copied().unwrap_or(f64::NAN);
                let found = survey.labels();
                match found.numbers {
                    Some(numbers) => {
                        let texts = numbers.iter().zip(&found.names);
                        // There are two zeros.
                        let bits = |value: f64| (value + 0.0).to_bits();
                        TargetEncoding::Numbers(
                            texts.map(|(&value, text)| (bits(value), label(text))).collect(),
                        )
                    }
                    None => TargetEncoding::Words(words(survey.target()?).iter().map(label).collect()),
                }
            }
        };
        Ok(Self { features: features.collect(), target: encoding, dim: inputs.dim() })
    }

    /// D.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The point of a row of one number a feature.
    pub fn point(&self, row: &[f64], point: &mut [f64]) {
        let mut first = 0;
        for (feature, &value) in self.features.iter().zip(row) {
            match feature {
                Encoding::Scaled(scale, None) => {
                    point[first] = scale.apply(value);
                    first += 1;
                }
                Encoding::Scaled(scale, Some(filled)) => {
                    let is_missing = value.is_nan();
                    point[first] = if is_missing { *filled } else { scale.apply(value) };
                    point[first + 1] = f64::from(u8::from(is_missing));
                    first += 2;
                }
                Encoding::OneHot { columns, width } => {
                    point[first..first + width].fill(0.0);
                    // Missing words are marked in the last column.
                    let column = if value.is_nan() { width - 1 } else { columns[value as usize] };
                    point[first + column] = 1.0;
                    first += width;
                }
            }
        }
    }

    /// The observation of a row.
    #[must_use]
    pub fn observation(&self, value: f64) -> f64 {
        match &self.target {
            TargetEncoding::Number(scale) => scale.apply(value),
            TargetEncoding::Words(labels) => labels[value as usize],
            TargetEncoding::Numbers(labels) => {
                labels.get(&(value + 0.0).to_bits()).copied().unwrap_or(f64::NAN)
            }
        }
    }
}

fn words(column: &ColumnSurvey) -> &[String] {
    match column.values() {
        Surveyed::Words(levels) => levels.words(),
        Surveyed::Numbers { .. } => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::super::column_survey::Kept;
    use super::*;
    use crate::data::{Column, Frame, Kind};

    fn frame() -> Frame {
        let words = ["b", "a", "c", "a"].into_iter().map(Some);
        let numbers = |name, kind, numbers: [f64; 4]| Column::of_numbers(name, kind, numbers.to_vec());
        let columns = vec![
            numbers("x", Kind::Number, [1.0, 4.0, -0.3, 2.0]),
            Column::of_words("w", words),
            numbers("t", Kind::Boolean, [1.0, 0.0, 0.0, 1.0]),
            numbers("n", Kind::Number, [7.0, 0.0, 3.0, -0.0]),
        ];
        Frame::new("t.csv", columns, None).unwrap()
    }

    /// The same with values missing in the first row and elsewhere, whose columns are marked.
    #[test]
    fn missing_values_become_what_they_become_in_tables() {
        let words = [None, Some("b"), Some("a"), None].into_iter();
        let numbers = |name, kind, numbers: [f64; 4]| Column::of_numbers(name, kind, numbers.to_vec());
        let columns = vec![
            numbers("x", Kind::Number, [f64::NAN, 4.0, -2.0, 7.0]),
            Column::of_words("w", words),
            numbers("t", Kind::Boolean, [1.0, 0.0, f64::NAN, 1.0]),
            numbers("y", Kind::Number, [7.0, 0.0, 3.0, 1.0]),
        ];
        let frame = Frame::new("t.csv", columns, None).unwrap();
        let begin = || Survey::begin(&frame, &["x", "w", "t"], "y").unwrap().keeping(|_| Kept::WhereMissing);
        let survey = begin().whole(&frame).unwrap();
        let inputs = Inputs::learn(&survey, true).unwrap();
        let expected =
            ["x", "x=(missing)", "w=a", "w=b", "w=(missing)", "t", "t=(missing)"].map(str::to_owned);
        assert_eq!(inputs.column_names(), expected);
        let points = inputs.encode(&frame).unwrap().points;
        // Units of the three numbers that are there; the mean is 0 in them.
        let scale = 14f64.sqrt();
        let third = 2.0 / 3.0;
        let rows = [
            [0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0],
            [1.0 / scale, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
            [-5.0 / scale, 0.0, 1.0, 0.0, 0.0, third, 1.0],
            [4.0 / scale, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0],
        ];
        let target = Target {
            name: "y".into(),
            kind: Kind::Number,
            values: TargetValues::Number(Standardiser::identity()),
        };
        let encoder = RowEncoder::new(&survey, &inputs, &target, Support::Real).unwrap();
        let (mut row, mut point) = (0, vec![f64::NAN; encoder.dim()]);
        let compare = &mut |raw: &[f64]| {
            encoder.point(&raw[..3], &mut point);
            for (d, &value) in point.iter().enumerate() {
                assert_eq!(value, points[(row, d)]);
                // Two roundings.
                assert!((value - rows[row][d]).abs() < 1e-15, "{row} {d} {value}");
            }
            row += 1;
            Ok(())
        };
        begin().look(&frame).unwrap().for_each(compare).unwrap();
    }

    /// Features and targets of every type, against what is done to whole tables.
    #[test]
    fn rows_become_what_tables_become() {
        let frame = frame();
        for (features, target) in [(["x", "w"], "t"), (["t", "w"], "n"), (["x", "t"], "w")] {
            let survey = Survey::of(&frame, &features, target).unwrap();
            let (labels, kind) = (survey.labels().names, survey.target().unwrap().kind());
            let inputs = Inputs::learn(&survey, true).unwrap();
            let mut values = vec![TargetValues::Classes(labels.clone())];
            values.extend(survey.target().unwrap().scale().map(TargetValues::Number));
            for values in values {
                let support = match &values {
                    TargetValues::Number(_) => Support::Real,
                    TargetValues::Classes(labels) => Support::Classes(labels.len()),
                };
                let target = Target { name: target.to_owned(), kind, values };
                // The label of the other zero is not known to whole tables.
                let known = target.encode(&frame, support);
                let points = inputs.encode(&frame).unwrap().points;
                let encoder = RowEncoder::new(&survey, &inputs, &target, support).unwrap();
                let (mut row, mut point) = (0, vec![f64::NAN; encoder.dim()]);
                let mut again = Survey::begin(&frame, &features, &target.name).unwrap();
                let compare = &mut |raw: &[f64]| {
                    encoder.point(&raw[..2], &mut point);
                    assert!(point.iter().enumerate().all(|(d, &value)| value == points[(row, d)]));
                    if let Ok(known) = &known {
                        assert_eq!(encoder.observation(raw[2]), known[row]);
                    }
                    row += 1;
                    Ok(())
                };
                again.look(&frame).unwrap().for_each(compare).unwrap();
            }
        }
    }
}
