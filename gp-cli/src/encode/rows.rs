//! Rows as points and observations.

use super::adjuster::{Adjuster, RowRoles};
use super::column_survey::ColumnSurvey;
use super::feature::FeatureEncoding;
use super::inputs::Inputs;
use super::roles::{Role, Roles};
use super::survey::Survey;
use super::target::{Target, TargetValues};
use crate::standardise::Standardiser;
use gp_likelihoods::{Adjusted, Likelihood, Support};
use std::collections::HashMap;

/// Converts rows, bit-identical to [`Inputs::encode`] and [`observations`](super::observations()).
#[derive(Clone, Debug)]
pub struct RowEncoder {
    features: Vec<Encoding>,
    targets: Vec<TargetEncoding>,
    /// Roles per target; empty if they change no observation.
    roles: Vec<RoleEncoding>,
    dim: usize,
}

#[derive(Clone, Debug)]
struct RoleEncoding {
    adjuster: Adjuster,
    places: Vec<(Role, usize)>,
    /// Position of the target less its offset.
    moved: Option<usize>,
}

#[derive(Clone, Debug)]
enum Encoding {
    /// Scale, and replacement if missing.
    Scaled(Standardiser, Option<f64>),
    /// Column by survey index.
    OneHot { columns: Vec<usize>, width: usize },
}

#[derive(Clone, Debug)]
enum TargetEncoding {
    Number(Standardiser),
    /// By survey index.
    Words(Vec<f64>),
    Numbers(HashMap<u64, f64>),
}

impl RowEncoder {
    /// `inputs` and `targets` must come from `survey`, in order.
    #[must_use]
    pub fn new(
        survey: &Survey,
        inputs: &Inputs,
        targets: &[&Target],
        (roles, likelihood): (&Roles, &dyn Likelihood),
    ) -> Self {
        let support = likelihood.support();
        let pairs = inputs.features().iter().zip(survey.features());
        let features = pairs.map(|(feature, column)| match &feature.encoding {
            FeatureEncoding::Scaled(scale) => Encoding::Scaled(*scale, feature.filled()),
            FeatureEncoding::OneHot(levels) => {
                let column_of = |word: &String| levels.binary_search(word).unwrap_or_default();
                let columns = column.words().iter().map(column_of).collect();
                Encoding::OneHot { columns, width: feature.width() }
            }
        });
        let role = |(place, target): (usize, &&Target)| {
            RoleEncoding::new(
                survey,
                (&roles.of_target(place), place),
                Adjuster::new(likelihood, target.scale().scale),
            )
        };
        let with_roles = if roles.adjust() { targets } else { &[] };
        let targets = targets.iter().enumerate();
        Self {
            roles: with_roles.iter().enumerate().map(role).collect(),
            features: features.collect(),
            targets: targets
                .map(|(place, target)| TargetEncoding::new(survey, place, target, support))
                .collect(),
            dim: inputs.dim(),
        }
    }

    /// Input dimension D.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Writes a row's point.
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
                    // The last column marks missing words.
                    let column = if value.is_nan() { width - 1 } else { columns[value as usize] };
                    point[first + column] = 1.0;
                    first += width;
                }
            }
        }
    }

    /// Number of observation columns P.
    #[must_use]
    pub fn outputs(&self) -> usize {
        let targets = self.targets.len();
        targets + if self.roles.is_empty() { 0 } else { Adjusted::columns_after(targets) }
    }

    /// Writes a row's P observations.
    pub fn observe(&self, row: &[f64], observed: &mut [f64]) {
        let count = self.targets.len();
        let (targets, columns) = observed.split_at_mut(count);
        for ((target, &value), observed) in self.targets.iter().zip(row).zip(&mut *targets) {
            *observed = target.apply(value);
        }
        for (place, roles) in self.roles.iter().enumerate() {
            let own = roles.of_row(row);
            if let Some(&bare) = roles.moved.and_then(|place| row.get(place)) {
                targets[place] = self.targets[place].apply(bare);
            }
            columns[place] = roles.adjuster.adjustment(&own);
            columns[count] = own.weight;
        }
    }
}

impl RoleEncoding {
    fn new(survey: &Survey, (roles, target): (&Roles, usize), adjuster: Adjuster) -> Self {
        let first = survey.features().len();
        let place = |(role, _): (Role, &str)| Some((role, survey.place_of(role, target)? - first));
        let moved = survey.place_of_moved(target).map(|place| place - first);
        Self {
            adjuster,
            places: roles.iter().filter_map(place).collect(),
            moved: moved.filter(|_| adjuster.moves_target()),
        }
    }

    fn of_row(&self, row: &[f64]) -> RowRoles {
        let mut own = RowRoles::default();
        self.places.iter().for_each(|&(role, place)| own.set(role, row[place]));
        own
    }
}

impl TargetEncoding {
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
                // Both zeros are one value.
                let bits = |value: f64| (value + 0.0).to_bits();
                Self::Numbers(texts.map(|(&value, text)| (bits(value), label(text))).collect())
            }
            None => Self::Words(
                survey
                    .targets()
                    .get(place)
                    .map_or(&[] as &[_], ColumnSurvey::words)
                    .iter()
                    .map(label)
                    .collect(),
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

#[cfg(test)]
mod tests {
    use super::super::column_survey::Kept;
    use super::super::columns::Columns;
    use super::*;
    use crate::data::{Column, Frame, Kind};
    use gp_likelihoods::Softmax;

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
        let begin = || {
            Survey::begin(&frame, &Columns::new(&["x", "w", "t"], "y"))
                .unwrap()
                .keeping(|_| Kept::WhereMissing)
        };
        let survey = begin().whole(&frame).unwrap();
        let inputs = Inputs::learn(&survey, true).unwrap();
        let expected =
            ["x", "x=(missing)", "w=a", "w=b", "w=(missing)", "t", "t=(missing)"].map(str::to_owned);
        assert_eq!(inputs.column_names(), expected);
        let points = inputs.encode(&frame).unwrap().points;
        // Scale of the three present numbers, of mean 0.
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
            names: Vec::new(),
        };
        let likelihood = gp_likelihoods::parse("gaussian").unwrap();
        let encoder = RowEncoder::new(&survey, &inputs, &[&target], (&Roles::default(), likelihood.as_ref()));
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
        begin().add(&frame).unwrap().for_each(compare).unwrap();
    }

    #[test]
    fn roles_become_what_they_become_in_tables() {
        let column = |name, numbers: [f64; 4]| Column::of_numbers(name, Kind::Number, numbers.to_vec());
        let columns = vec![
            column("x", [1.0, 4.0, -0.3, 2.0]),
            column("y", [3.0, 0.0, 7.0, 1.0]),
            column("w", [1.0, 2.5, 0.3, 1.0]),
            column("o", [0.1, -0.7, 0.33, 0.0]),
            column("e", [1.0, 10.0, 0.5, 2.0]),
            column("v", [0.0, 0.2, 0.1, 0.5]),
        ];
        let frame = Frame::new("t.csv", columns, None).unwrap();
        let all =
            [(Role::Weights, "w"), (Role::Offset, "o"), (Role::Exposure, "e"), (Role::NoiseVariance, "v")];
        for (text, wanted) in [
            ("gaussian", vec![all[0], all[1], all[3]]),
            ("student_t", vec![all[0], all[1]]),
            ("poisson", vec![all[0], all[1], all[2]]),
            ("poisson", vec![all[0]]),
        ] {
            let likelihood = gp_likelihoods::parse(text).unwrap();
            let roles = Roles::new(wanted.iter().map(|(role, name)| (*role, (*name).to_owned())));
            roles.check_likelihood(likelihood.as_ref()).unwrap();
            let names =
                Columns { features: vec!["x"], targets: vec!["y"], others: wanted.clone(), gaps: false };
            let mut survey = Survey::of(&frame, &names).unwrap();
            let scale = survey.moved(0).or(survey.target().ok()).and_then(ColumnSurvey::scale).unwrap();
            let scale = if likelihood.support() == Support::Real { scale } else { Standardiser::identity() };
            let values = TargetValues::Number(scale);
            let target = Target { name: "y".to_owned(), kind: Kind::Number, values, names: Vec::new() };
            let expected =
                crate::encode::observations(&frame, &[&target], &roles, likelihood.as_ref()).unwrap();
            let inputs = Inputs::learn(&survey, true).unwrap();
            let encoder = RowEncoder::new(&survey, &inputs, &[&target], (&roles, likelihood.as_ref()));
            let mut found = Vec::new();
            let mut observe = |raw: &[f64]| {
                let mut observed = vec![f64::NAN; encoder.outputs()];
                encoder.observe(&raw[1..], &mut observed);
                found.extend(observed);
                Ok(())
            };
            survey.add(&frame).unwrap().for_each(&mut observe).unwrap();
            assert_eq!(found, expected, "{text}");
        }
    }

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
                let likelihood: Box<dyn Likelihood> = match &values {
                    TargetValues::Number(_) => gp_likelihoods::parse("gaussian").unwrap(),
                    TargetValues::Classes(labels) => Box::new(Softmax::new(labels.len()).unwrap()),
                };
                let support = likelihood.support();
                let target = Target { name: target.to_owned(), kind, values, names: Vec::new() };
                // A whole table has no label for the other zero.
                let known = target.encode(&frame, support);
                let points = inputs.encode(&frame).unwrap().points;
                let encoder =
                    RowEncoder::new(&survey, &inputs, &[&target], (&Roles::default(), likelihood.as_ref()));
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
                again.add(&frame).unwrap().for_each(compare).unwrap();
            }
        }
    }
}
