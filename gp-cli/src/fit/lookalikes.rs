//! Warnings of words that look like numbers or dates, or that hardly repeat.

use super::spec::FitSpec;
use crate::encode::{ColumnSurvey, Survey, Surveyed, too_many_words};

/// One warning per feature whose words hardly repeat, or look like numbers or dates without a given type.
pub(super) fn lookalikes(survey: &Survey, spec: &FitSpec) -> Vec<String> {
    let asked = |name: &str| spec.kinds.iter().any(|(column, _)| column == name);
    let features = survey.features().iter();
    let about = |column: &ColumnSurvey| {
        let like = column.lookalike().filter(|_| !asked(column.name())).map(|like| like.to_string());
        let what = like.or_else(|| rare_words(column, survey.rows()))?;
        Some(format!("column {}: {what}", column.name()))
    };
    features.filter_map(about).collect()
}

fn rare_words(column: &ColumnSurvey, rows: usize) -> Option<String> {
    match column.values() {
        Surveyed::Words(levels) => too_many_words(column.name(), levels.words().len(), rows),
        Surveyed::Numbers { .. } => None,
    }
}
