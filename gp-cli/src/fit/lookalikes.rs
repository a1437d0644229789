//! Warnings about words that look like numbers or dates.

use super::spec::FitSpec;
use crate::encode::{ColumnSurvey, Survey};

/// One sentence per feature whose words look like numbers or dates, unless declared as words.
pub(super) fn lookalikes(survey: &Survey, spec: &FitSpec) -> Vec<String> {
    let asked = |name: &str| spec.kinds.iter().any(|(column, _)| column == name);
    let features = survey.features().iter().filter(|column| !asked(column.name()));
    let like = |column: &ColumnSurvey| Some(format!("column {}: {}", column.name(), column.lookalike()?));
    features.filter_map(like).collect()
}
