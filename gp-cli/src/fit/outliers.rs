//! Warnings of numbers far from all others of their column.

use super::observed::Observed;
use crate::data::Kind;
use crate::encode::{ColumnSurvey, Outlier, Survey};
use crate::lengths::four_digits;
use crate::shown::shown;

/// Warnings of outliers, of targets that are no labels and of inputs.
pub(super) fn outliers(survey: &Survey, observed: &Observed) -> Vec<String> {
    let likelihood = observed.likelihood.as_ref();
    let is_gaussian = likelihood.gaussian_noise().is_some();
    let advice = if is_gaussian { ", or take noise with outliers: --likelihood student_t" } else { "" };
    let targets = if likelihood.support().classes() > 0 { &[] } else { survey.targets() };
    let targets = targets.iter().filter_map(told).map(|what| {
        format!("target {what}: predictions of all rows suffer; correct it or leave the row out{advice}")
    });
    let inputs = survey.features().iter().filter_map(|column| {
        let is_positive = column.least().is_some_and(|least| least > 0.0);
        let advice = if is_positive { ", or give the column as logarithms" } else { "" };
        let what = told(column)?;
        Some(format!(
            "input {what}: beside it they are nearly equal, and little is learned from them; correct it or leave the row out{advice}"
        ))
    });
    targets.chain(inputs).collect()
}

fn told(column: &ColumnSurvey) -> Option<String> {
    let Outlier { value, place, others } = column.outlier()?;
    let rounded = |number: f64| match column.kind() {
        Kind::Number => four_digits(number),
        kind => kind.text(number),
    };
    Some(format!(
        "{}, {place}: {} is far from all others, which lie between {} and {}",
        shown(column.name()),
        column.kind().text(value),
        rounded(others.lowest),
        rounded(others.highest)
    ))
}
