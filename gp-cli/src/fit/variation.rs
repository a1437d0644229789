//! Refuses constant targets.

use super::task::Task;
use super::task_flag::TaskChoice;
use crate::encode::{ColumnSurvey, Labels, Role, Survey, Surveyed};
use crate::error::{CliError, ErrorKind};
use crate::shown::shown;
use gp_likelihoods::{Likelihood, Link};

/// Relative difference within rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Task and role that allow a constant target, if the role's column varies.
pub(super) fn task_beside(survey: &Survey) -> Option<(Task, Role)> {
    let varies = |role: Role| survey.role(role, 0).is_some_and(|column| varies(column, &[]));
    [(Task::Count, Role::Exposure), (Task::Regression, Role::Offset)]
        .into_iter()
        .find(|(_, role)| varies(*role))
}

pub(super) fn check_target(survey: &Survey, labels: &Labels, asked: TaskChoice) -> Result<(), CliError> {
    let may_be_number = matches!(asked, TaskChoice::Auto | TaskChoice::Regression | TaskChoice::Count);
    let varies = labels.names.len() > 1 || may_be_number && task_beside(survey).is_some();
    if varies { Ok(()) } else { Err(one_value(survey)) }
}

pub(super) fn check_observed(
    survey: &Survey,
    labels: &Labels,
    likelihood: &dyn Likelihood,
) -> Result<(), CliError> {
    let column = survey.target()?;
    let is_one = labels.names.len() < 2;
    if likelihood.support().classes() > 0 {
        return if is_one { Err(one_value(survey)) } else { Ok(()) };
    }
    if likelihood.link() == Link::Log {
        // Without any event, the rate is 0 at any exposure.
        return if is_one && column.mean() == Some(0.0) { Err(one_value(survey)) } else { Ok(()) };
    }
    let (moved, offset) =
        (survey.moved(0).filter(|_| likelihood.link() == Link::Identity), survey.role(Role::Offset, 0));
    let Some((moved, offset)) = moved.zip(offset) else {
        return if varies(column, &[]) { Ok(()) } else { Err(one_value(survey)) };
    };
    if varies(moved, &[column, offset]) {
        return Ok(());
    }
    let (name, offset) = (column.name(), offset.name());
    let what = format!(
        "{name} less its offset {offset} is the same number in every row; there is nothing to learn from a target that does not vary; leave out --offset {offset}, or choose another column with --target"
    );
    Err(CliError::new(ErrorKind::Data, format!("`{}`, column {name}: {what}", survey.source())))
}

/// `true` if values vary beyond rounding, including that of `computed_from`.
fn varies(column: &ColumnSurvey, computed_from: &[&ColumnSurvey]) -> bool {
    let range = |column: &ColumnSurvey| match column.values() {
        Surveyed::Numbers { range, .. } => Some((range.lowest, range.highest)),
        Surveyed::Words(_) => None,
    };
    let Some((lowest, highest)) = range(column) else { return true };
    let ranges = computed_from.iter().filter_map(|column| range(column)).chain([(lowest, highest)]);
    let largest = ranges.fold(0.0, |most: f64, (low, high)| most.max(low.abs()).max(high.abs()));
    highest - lowest > ROUNDING * largest
}

fn one_value(survey: &Survey) -> CliError {
    let (source, value) = (survey.source(), shown(survey.first_target()));
    let name = survey.target().map_or("", ColumnSurvey::name);
    let who = match (survey.rows(), survey.labels().names.len()) {
        (1, _) => "the only row has",
        (_, 1) => "every row has",
        _ => "every row has, but for rounding,",
    };
    let what = format!(
        "`{source}`, column {name}: {who} the value `{value}`; there is nothing to learn from a target that does not vary; add rows with other values, or choose another column with --target"
    );
    CliError::new(ErrorKind::Data, what)
}
