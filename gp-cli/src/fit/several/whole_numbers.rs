//! Labels and counts among several targets.

use crate::data::Kind;
use crate::encode::{ColumnSurvey, Survey};
use crate::fit::TaskChoice;
use crate::fit::guess::Guess;
use crate::fit::spec::FitSpec;
use crate::left_out::listed;
use crate::shown::shown;

/// Warns of likely labels and counts, unless flags name the task.
pub(in crate::fit) fn no_amounts(survey: &Survey, spec: &FitSpec) -> Option<String> {
    let is_said = spec.task != TaskChoice::Auto || spec.likelihood.is_some();
    if is_said || survey.targets().len() < 2 {
        return None;
    }
    let what = |(place, column): (usize, &ColumnSurvey)| {
        let labels = survey.labels_of(place);
        let what = match Guess::of(&labels) {
            _ if column.kind() != Kind::Number => return None,
            _ if labels.names.len() == 2 => "has two values",
            Guess::Labels => "looks like labels",
            Guess::Counts => "looks like counts",
            Guess::Amounts | Guess::Unclear => return None,
        };
        Some(format!("{} {what}", shown(column.name())))
    };
    let found: Vec<String> = survey.targets().iter().enumerate().filter_map(what).collect();
    (!found.is_empty()).then(|| {
        format!(
            "several targets are taken as amounts with Gaussian noise, but {}: fit a model of its own for probabilities, or say --task regression",
            listed(&found)
        )
    })
}
