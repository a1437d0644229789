//! Warnings of outliers in columns.

use super::observed::Observed;
use crate::data::Kind;
use crate::encode::{ColumnSurvey, Survey};
use crate::shown::shown;

pub(super) fn outliers(survey: &Survey, observed: &Observed) -> Vec<String> {
    let likelihood = observed.likelihood.as_ref();
    let (suffer, robust) = match likelihood.gaussian_noise() {
        Some(_) => (
            "predictions of all rows suffer; ",
            ", otherwise take noise with outliers: --likelihood student_t",
        ),
        None => ("", ""),
    };
    let targets = if likelihood.support().classes() > 0 { &[] } else { survey.targets() };
    let targets = targets.iter().filter_map(|column| message("target", column, suffer, robust));
    let inputs = survey.features().iter().filter_map(|column| {
        let is_positive = column.least().is_some_and(|least| least > 0.0);
        let has_logarithms = column.kind() == Kind::Number && is_positive;
        let logarithms = if has_logarithms { ", otherwise consider logarithms" } else { "" };
        message("input", column, "", logarithms)
    });
    targets.chain(inputs).collect()
}

fn message(role: &str, column: &ColumnSurvey, suffer: &str, otherwise: &str) -> Option<String> {
    let outlier = column.outlier()?;
    let (name, what) = (shown(column.name()), outlier.describe(column.kind()));
    Some(format!("{role} {name}: {what}; {suffer}{}", outlier.advise(otherwise)))
}
