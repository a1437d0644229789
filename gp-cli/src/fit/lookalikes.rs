//! Warnings of likely mistakes in columns.

use super::spec::FitSpec;
use crate::encode::{ColumnSurvey, DIGIT_DATES, Survey, Surveyed, too_many_words};

pub(super) fn lookalikes(survey: &Survey, spec: &FitSpec) -> Vec<String> {
    let asked = |name: &str| spec.kinds.iter().any(|(column, _)| column == name);
    let about = |column: &ColumnSurvey| {
        let like = column.lookalike().map(|like| like.to_string());
        let like = like.or_else(|| column.holds_digit_dates().then(|| DIGIT_DATES.to_owned()));
        let like = like.filter(|_| !asked(column.name()));
        let what = like.or_else(|| rare_words(column, survey.rows()))?;
        Some(format!("column {}: {what}", column.name()))
    };
    let features = survey.features().iter();
    let giants = survey.features().iter().chain(survey.targets()).filter_map(giant);
    features.filter_map(about).chain(giants).collect()
}

/// Warns if a square overflows, or rounding equalises other numbers.
fn giant(column: &ColumnSurvey) -> Option<String> {
    let (number, place) = column.giant()?;
    let square = (number * number).is_infinite().then_some("its square is beyond the range of numbers");
    let hides = column.outlier().is_some_and(|outlier| {
        let is_one = outlier.numbers.iter().any(|(far, _)| *far == number);
        is_one && outlier.others.highest - outlier.others.lowest <= f64::EPSILON * number.abs()
    });
    let others = hides.then_some("others are equal beside it");
    let why: Vec<&str> = square.into_iter().chain(others).collect();
    let (name, why) = (column.name(), (!why.is_empty()).then(|| why.join(", and "))?);
    Some(format!(
        "column {name}: {number:e} at {place} is so large that {why}; correct it, or leave its row out"
    ))
}

fn rare_words(column: &ColumnSurvey, rows: usize) -> Option<String> {
    match column.values() {
        Surveyed::Words(levels) => too_many_words(column.name(), levels.words(), rows),
        Surveyed::Numbers { .. } => None,
    }
}
