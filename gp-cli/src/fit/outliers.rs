//! Warnings of numbers far from all others of their column.

use super::observed::Observed;
use crate::data::Kind;
use crate::encode::{ColumnSurvey, Outlier, Survey};
use crate::lengths::four_digits;
use crate::shown::shown;

/// Warnings of outliers, of targets that are no labels and of inputs.
pub(super) fn outliers(survey: &Survey, observed: &Observed) -> Vec<String> {
    let likelihood = observed.likelihood.as_ref();
    let advice = match likelihood.gaussian_noise() {
        Some(_) => {
            "predictions of all rows suffer; correct it or leave the row out, or take noise with outliers: --likelihood student_t"
        }
        None => "correct it or leave the row out if it is a mistake",
    };
    let targets = if likelihood.support().classes() > 0 { &[] } else { survey.targets() };
    let targets = targets.iter().filter_map(told).map(|what| format!("target {what}: {advice}"));
    let inputs = survey.features().iter().filter_map(|column| {
        let is_positive = column.least().is_some_and(|least| least > 0.0);
        let has_logarithms = column.kind() == Kind::Number && is_positive;
        let advice = if has_logarithms { ", otherwise consider logarithms" } else { "" };
        let what = told(column)?;
        Some(format!("input {what}: correct it or leave the row out if it is a mistake{advice}"))
    });
    targets.chain(inputs).collect()
}

fn told(column: &ColumnSurvey) -> Option<String> {
    let Outlier { value, place, others } = column.outlier()?;
    let exactly = |number: f64| column.kind().text(number);
    let ends = [others.lowest, others.highest];
    let rounded = ends.map(four_digits);
    let [lowest, highest] = match column.kind() {
        Kind::Number if rounded[0] != rounded[1] => rounded,
        _ => ends.map(exactly),
    };
    Some(format!(
        "{}, {place}: {} is far from all others, which lie between {lowest} and {highest}",
        shown(column.name()),
        exactly(value)
    ))
}
