//! Task from flags or target values.

use super::guess::{Guess, other_readings};
use super::lookalikes::lookalikes;
use super::names;
use super::order::{self, in_order};
use super::reading::begin_survey;
use super::scales::default_order;
use super::spec::FitSpec;
use super::task::Task;
use super::task_flag::TaskChoice;
use super::variation;
use crate::context::Context;
use crate::data::{Frame, Kind, are_numbers, quoted};
use crate::encode::{ColumnSurvey, Labels, Survey};
use crate::error::{CliError, ErrorKind};
use crate::left_out::listed;
use crate::missing::Missing;
use crate::shown::shown;
use gp_likelihoods::{Likelihood, Support};

/// Minimum mean rows per number, for classes.
const ROWS_PER_CLASS: u64 = 3;
/// Maximum distinct words as labels, with few rows each.
const MANY_WORDS: usize = 10;
const ROWS_PER_WORD: u64 = 2;

/// Settles task, order and missing values by the whole table, so that folds agree; with notes.
///
/// # Errors
/// As [`Plan::new`](super::Plan::new).
pub fn settled(frame: &Frame, spec: &FitSpec, context: &Context) -> Result<(FitSpec, Vec<String>), CliError> {
    let survey = begin_survey(frame, spec)?.whole(frame)?;
    let warnings = lookalikes(&survey, spec).into_iter().map(|like| format!("warning: {like}"));
    let missing_in = kept(&survey, spec);
    let names = kept_names(&survey);
    let kept = (!names.is_empty()).then(|| format!("missing values are kept in {}", names.join(", ")));
    let notes = frame.left_out().iter().cloned().chain(kept).chain(warnings).collect();
    if survey.targets().len() > 1 {
        return Ok((FitSpec { missing_in, ..spec.clone() }, notes));
    }
    let column = survey.target()?;
    let labels = in_order(survey.labels(), column.name(), &spec.order)?;
    let varies = variation::check_target(&survey, &labels, spec.task).is_ok();
    let is_open = spec.task == TaskChoice::Auto && varies;
    let task = if is_open { task(&survey, column, &labels, spec, context)?.0.into() } else { spec.task };
    if task == TaskChoice::Ordinal && varies {
        order::check(Task::Ordinal, column, &labels, spec)?;
    }
    let order = if spec.order.is_empty() { Vec::new() } else { labels.names };
    Ok((FitSpec { task, order, missing_in, ..spec.clone() }, notes))
}

fn kept_names(survey: &Survey) -> Vec<&str> {
    survey.features().iter().filter(|column| column.keeps_missing()).map(ColumnSurvey::name).collect()
}

/// Missing-value rules: given, else keep where values are missing.
fn kept(survey: &Survey, spec: &FitSpec) -> Vec<(String, Missing)> {
    let said = |name: &str| spec.missing_in.iter().any(|(column, _)| column == name);
    let names = kept_names(survey).into_iter().filter(|name| !said(name));
    let kept = names.map(|name| (name.to_owned(), Missing::Keep));
    spec.missing_in.iter().cloned().chain(kept).collect()
}

pub(super) fn task(
    survey: &Survey,
    column: &ColumnSurvey,
    labels: &Labels,
    spec: &FitSpec,
    context: &Context,
) -> Result<(Task, String), CliError> {
    let (name, count, names) = (column.name(), labels.how_many(), &labels.names);
    let asked = |task| Ok((task, "of --task".to_owned()));
    match spec.task {
        TaskChoice::Regression => return asked(Task::Regression),
        TaskChoice::Multiclass => return asked(Task::Multiclass),
        TaskChoice::Count => return asked(Task::Count),
        TaskChoice::Ordinal => return asked(Task::Ordinal),
        TaskChoice::Binary if names.len() == 2 => return asked(Task::Binary),
        TaskChoice::Binary => {
            let what = format!("column {name} has {count} different values; --task binary is for two");
            return Err(CliError::new(ErrorKind::Data, what));
        }
        TaskChoice::Auto => {}
    }
    if let Some(text) = &spec.likelihood {
        check_labels(text, labels, context)?;
        let likelihood = as_said(text, labels, context)?;
        return Ok((task_of(likelihood.as_ref()), "of --likelihood".to_owned()));
    }
    if let Some((task, role)) = variation::task_beside(survey).filter(|_| names.len() < 2) {
        Ok((task, format!("column {name} has one value, and {} varies", role.flag())))
    } else if spec.exposure.is_some() && column.kind() == Kind::Number {
        Ok((Task::Count, format!("--exposure is for counts, so column {name} has counts")))
    } else if names.len() == 2 {
        let (first, second) = (shown(&names[0]), shown(&names[1]));
        Ok((Task::Binary, format!("column {name} has the two values {first} and {second}")))
    } else if !spec.order.is_empty() {
        let what = format!(
            "--order says the order of the labels of column {name}; --task multiclass if it means nothing"
        );
        Ok((Task::Ordinal, what))
    } else if let Some(like) = column.lookalike().filter(|_| !is_word(spec, name)) {
        let what = format!(
            "`{}`, column {name}: {like}; or say --task multiclass if they are labels",
            survey.source()
        );
        Err(CliError::new(ErrorKind::Usage, what))
    } else if column.scale().is_none() && words_hardly_repeat(labels) {
        let numbers = match are_numbers(names) {
            true => format!("say --type {}=number", quoted(name)),
            false => "correct them".to_owned(),
        };
        let what = format!(
            "`{}`, column {name}: {count} different words in {} rows, such as `{}`, are hardly labels; {numbers} if they are numbers, or --task multiclass if they are labels",
            survey.source(),
            labels.counts.iter().sum::<u64>(),
            shown(&names[0])
        );
        Err(CliError::new(ErrorKind::Usage, what))
    } else if column.scale().is_none() {
        let hint = default_order(names).map_or_else(String::new, |order| {
            format!("; --order {order} if their order matters, as these words suggest")
        });
        Ok((Task::Multiclass, format!("column {name} has {count} different words{hint}")))
    } else if column.kind() == Kind::Number {
        task_of_numbers(survey, column, labels)
    } else {
        Ok((Task::Regression, format!("column {name} has {count} different numbers")))
    }
}

fn is_word(spec: &FitSpec, name: &str) -> bool {
    spec.kinds.iter().any(|(column, kind)| column == name && *kind == Kind::Category)
}

fn task_of_numbers(
    survey: &Survey,
    column: &ColumnSurvey,
    labels: &Labels,
) -> Result<(Task, String), CliError> {
    let (name, names) = (column.name(), &labels.names);
    let (first, last) = (&names[0], &names[names.len() - 1]);
    Ok(match Guess::of(labels) {
        Guess::Labels => {
            let what = format!(
                "column {name} has all whole numbers from {first} to {last}, each often; --task ordinal if their order matters, --task count or regression if they are amounts"
            );
            (Task::Multiclass, what)
        }
        Guess::Counts => {
            let what = format!(
                "column {name} has whole numbers from {first} to {last}, large ones rarely; --task multiclass if they are labels, --task regression if they are amounts"
            );
            (Task::Count, what)
        }
        Guess::Amounts => {
            let others = other_readings(labels);
            (Task::Regression, format!("column {name} has {} different numbers{others}", labels.how_many()))
        }
        Guess::Unclear => return Err(question(survey, column, labels)),
    })
}

fn question(survey: &Survey, column: &ColumnSurvey, labels: &Labels) -> CliError {
    let rows = labels.names.iter().zip(&labels.counts).enumerate();
    let seen = rows.map(|(place, (name, count))| {
        let unit = if place > 0 {
            ""
        } else if *count == 1 {
            " row"
        } else {
            " rows"
        };
        format!("{name} ({count}{unit})")
    });
    let seen = listed(&seen.collect::<Vec<_>>());
    let what = format!(
        "`{}`, column {}: are {seen} labels, counts or amounts? Say --task multiclass (labels), --task ordinal (labels with an order), --task count (numbers of events) or --task regression (amounts)",
        survey.source(),
        column.name()
    );
    CliError::new(ErrorKind::Usage, what)
}

fn task_of(likelihood: &dyn Likelihood) -> Task {
    match likelihood.support() {
        Support::Signs => Task::Binary,
        // Classes along one latent are ordered.
        Support::Classes(_) if likelihood.latents() == 1 => Task::Ordinal,
        Support::Classes(_) => Task::Multiclass,
        Support::Counts => Task::Count,
        _ => Task::Regression,
    }
}

/// Given likelihood, with the target's classes by default.
pub(super) fn as_said(
    text: &str,
    labels: &Labels,
    context: &Context,
) -> Result<Box<dyn Likelihood>, CliError> {
    let known = &context.likelihoods;
    let classes = if labels.more { 0 } else { labels.names.len() };
    let counted = names::of_classes(text, classes, known);
    known.parse(&counted.text).map_err(|fault| wrong_likelihood(counted.in_likelihood(fault)))
}

fn check_labels(text: &str, labels: &Labels, context: &Context) -> Result<(), CliError> {
    let known = &context.likelihoods;
    let counted = names::of_classes(text, labels.names.len(), known).text;
    if counted == text || !hardly_repeat(labels) {
        return Ok(());
    }
    let what = format!(
        "the target has {} different numbers in {} rows, hardly labels; if they are, say --likelihood \"{counted}\"",
        labels.how_many(),
        labels.counts.iter().sum::<u64>()
    );
    Err(CliError::usage(what))
}

fn hardly_repeat(labels: &Labels) -> bool {
    let rows = labels.counts.iter().sum::<u64>();
    labels.numbers.is_some() && rows < ROWS_PER_CLASS * labels.names.len() as u64
}

fn words_hardly_repeat(labels: &Labels) -> bool {
    let (rows, words) = (labels.counts.iter().sum::<u64>(), labels.names.len());
    words > MANY_WORDS && rows < ROWS_PER_WORD * words as u64
}

pub(super) fn check_task(task: Task, likelihood: &dyn Likelihood) -> Result<(), CliError> {
    let takes_labels = likelihood.support().classes() > 0;
    let is_of_labels = matches!(task, Task::Binary | Task::Multiclass | Task::Ordinal);
    if takes_labels == is_of_labels {
        return check_order(task, likelihood);
    }
    let of = |labels: bool| if labels { "labels" } else { "numbers" };
    let name = likelihood.name();
    let what = format!(
        "the task is {task}, of {}, and the likelihood {name} takes {}; leave out --task or --likelihood",
        of(is_of_labels),
        of(takes_labels)
    );
    Err(CliError::usage(what))
}

fn check_order(task: Task, likelihood: &dyn Likelihood) -> Result<(), CliError> {
    let likely = task_of(likelihood);
    let differ =
        matches!((task, likely), (Task::Ordinal, Task::Multiclass) | (Task::Multiclass, Task::Ordinal));
    if !differ || likelihood.support().classes() < 3 {
        return Ok(());
    }
    let name = likelihood.name();
    let (asked, takes) = match task {
        Task::Ordinal => ("in order", "labels without an order"),
        _ => ("without an order", "labels in order"),
    };
    Err(CliError::usage(format!(
        "the task is {task}, of labels {asked}, and the likelihood {name} takes {takes}; leave out --task or --likelihood"
    )))
}

pub(super) fn wrong_likelihood(cause: gp_likelihoods::LikelihoodError) -> CliError {
    CliError::caused(ErrorKind::Usage, "--likelihood cannot be read", cause)
}
