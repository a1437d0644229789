//! Rows of numbers as a survey hands them out, to points and observations.

use super::inputs::{FeatureEncoding, Inputs};
use super::survey::{ColumnSurvey, Survey, Surveyed};
use super::target::{Target, TargetValues};
use crate::standardise::Standardiser;
use gp_likelihoods::Support;
use std::collections::HashMap;

/// How a row of one number per column becomes a point and the columns of its observation: the same bits as by
/// [`Inputs::encode`] and [`Target::encode`].
#[derive(Clone, Debug)]
pub struct RowEncoder {
    features: Vec<Encoding>,
    targets: Vec<TargetEncoding>,
    dim: usize,
}

#[derive(Clone, Debug)]
enum Encoding {
    Scaled(Standardiser),
    /// The columns of levels by their places in the survey.
    OneHot {
        columns: Vec<usize>,
        width: usize,
    },
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
    /// For the rows of a survey that inputs and targets were learned from, in the order of its targets.
    #[must_use]
    pub fn new(survey: &Survey, inputs: &Inputs, targets: &[&Target], support: Support) -> Self {
        let pairs = inputs.features().iter().zip(survey.features());
        let features = pairs.map(|(feature, column)| match &feature.encoding {
            FeatureEncoding::Scaled(scale) => Encoding::Scaled(*scale),
            FeatureEncoding::OneHot(levels) => {
                let column_of = |word: &String| levels.binary_search(word).unwrap_or_default();
                let columns = words(column).iter().map(column_of).collect();
                Encoding::OneHot { columns, width: feature.width() }
            }
        });
        let targets = targets.iter().enumerate();
        Self {
            features: features.collect(),
            targets: targets
                .map(|(place, target)| TargetEncoding::new(survey, place, target, support))
                .collect(),
            dim: inputs.dim(),
        }
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
                Encoding::Scaled(scale) => {
                    point[first] = scale.apply(value);
                    first += 1;
                }
                Encoding::OneHot { columns, width } => {
                    point[first..first + width].fill(0.0);
                    point[first + columns[value as usize]] = 1.0;
                    first += width;
                }
            }
        }
    }

    /// P
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.targets.len()
    }

    /// The columns of observation of a row, P of them, of one number per target.
    pub fn observe(&self, row: &[f64], observed: &mut [f64]) {
        for ((target, &value), observed) in self.targets.iter().zip(row).zip(observed) {
            *observed = target.apply(value);
        }
    }
}

impl TargetEncoding {
    /// For one of the targets of a survey.
    fn new(survey: &Survey, place: usize, target: &Target, support: Support) -> Self {
        let labels = match &target.values {
            TargetValues::Number(scale) => return Self::Number(*scale),
            TargetValues::Classes(labels) => labels,
        };
        let known: HashMap<&str, f64> =
            labels.iter().enumerate().map(|(class, label)| (label.as_str(), support.label(class))).collect();
        let label = |text: &String| known.get(text.as_str()).copied().unwrap_or(f64::NAN);
        let found = survey.labels_of(place);
        match found.numbers {
            Some(numbers) => {
                let texts = numbers.iter().zip(&found.names);
                // There are two zeros.
                let bits = |value: f64| (value + 0.0).to_bits();
                Self::Numbers(texts.map(|(&value, text)| (bits(value), label(text))).collect())
            }
            None => Self::Words(
                survey.targets().get(place).map_or(&[] as &[_], words).iter().map(label).collect(),
            ),
        }
    }

    fn apply(&self, value: f64) -> f64 {
        match self {
            Self::Number(scale) => scale.apply(value),
            Self::Words(labels) => labels[value as usize],
            Self::Numbers(labels) => labels.get(&(value + 0.0).to_bits()).copied().unwrap_or(f64::NAN),
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
    use super::super::columns::Columns;
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

    /// Features and targets of every type, against what is done to whole tables.
    #[test]
    fn rows_become_what_tables_become() {
        let frame = frame();
        for (features, target) in [(["x", "w"], "t"), (["t", "w"], "n"), (["x", "t"], "w")] {
            let survey = Survey::of(&frame, &Columns::new(&features, target)).unwrap();
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
                let encoder = RowEncoder::new(&survey, &inputs, &[&target], support);
                let (mut row, mut point) = (0, vec![f64::NAN; encoder.dim()]);
                let mut again = Survey::begin(&frame, &Columns::new(&features, &target.name)).unwrap();
                let compare = &mut |raw: &[f64]| {
                    encoder.point(&raw[..2], &mut point);
                    assert!(point.iter().enumerate().all(|(d, &value)| value == points[(row, d)]));
                    if let Ok(known) = &known {
                        let mut observed = [f64::NAN];
                        encoder.observe(&raw[2..], &mut observed);
                        assert_eq!(observed, [known[row]]);
                    }
                    row += 1;
                    Ok(())
                };
                again.look(&frame).unwrap().for_each(compare).unwrap();
            }
        }
    }
}
