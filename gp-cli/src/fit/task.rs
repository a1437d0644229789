//! What the target is, and which likelihood says so.

use super::spec::{FitSpec, TaskChoice};
use crate::context::Context;
use crate::data::Kind;
use crate::encode::{ColumnSurvey, Labels, Survey, Surveyed, Target, TargetValues};
use crate::error::{CliError, ErrorKind};
use crate::model::TargetSummary;
use crate::standardise::Standardiser;
use gp_likelihoods::{Likelihood, Support};
use gp_optim::format_number;
use serde::Serialize;

/// Numbers that are taken for labels have at most so many different values …
const MOST_LABELS: usize = 26;
/// … each of them so many times on average.
const ROWS_A_LABEL: usize = 10;

/// What the target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// A number.
    Regression,
    /// One of two labels.
    Binary,
    /// One of several labels.
    Multiclass,
    /// A number of events, from 0 on.
    Count,
    /// One of several labels with an order.
    Ordinal,
}

/// The target as the likelihood takes it.
#[derive(Debug)]
pub struct Observed {
    /// What the target is.
    pub task: Task,
    /// Why.
    pub reason: String,
    /// How its values become observations.
    pub target: Target,
    /// Its distribution.
    pub summary: TargetSummary,
    /// What an observation says about its latent value, with the parameters that training starts from.
    pub likelihood: Box<dyn Likelihood>,
}

impl Task {
    fn words(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Binary => "binary classification",
            Self::Multiclass => "multi-class classification",
            Self::Count => "regression of counts",
            Self::Ordinal => "ordinal regression",
        }
    }
}

impl std::fmt::Display for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}

/// Finds out what the target of a table is, and how it is observed.
///
/// # Errors
/// Of kind [`Data`](ErrorKind::Data) for a target that says nothing or that the likelihood cannot take, of kind
/// [`Usage`](ErrorKind::Usage) for a task or a likelihood that does not go with it.
pub(super) fn observe(survey: &Survey, spec: &FitSpec, context: &Context) -> Result<Observed, CliError> {
    let (column, labels) = (survey.target()?, survey.labels());
    if labels.names.len() < 2 {
        let (source, name, value) = (survey.source(), column.name(), survey.first_target());
        let who = if survey.rows() == 1 { "the only row" } else { "every row" };
        let what = format!(
            "`{source}`, column {name}: {who} has the value `{value}`; there is nothing to learn from a target that does not vary; add rows with other values, or choose another column with --target"
        );
        return Err(CliError::new(ErrorKind::Data, what));
    }
    let (task, reason) = task(survey, column, &labels, spec, context)?;
    let likelihood = likelihood(task, column, &labels, spec, context)?;
    let target = target(column, &labels, likelihood.as_ref(), spec)?;
    let summary = summary(survey.rows(), column, &target, &labels);
    Ok(Observed { task, reason, target, summary, likelihood })
}

fn task(
    survey: &Survey,
    column: &ColumnSurvey,
    labels: &Labels,
    spec: &FitSpec,
    context: &Context,
) -> Result<(Task, String), CliError> {
    let (name, count, names) = (column.name(), how_many(labels), &labels.names);
    let asked = |task| Ok((task, "as asked".to_owned()));
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
    if let Some(likelihood) = &spec.likelihood {
        return Ok((
            task_of(context.likelihoods.parse(likelihood).map_err(wrong_likelihood)?.support()),
            "by the likelihood".to_owned(),
        ));
    }
    Ok(if names.len() == 2 {
        (Task::Binary, format!("column {name} has the two values {} and {}", names[0], names[1]))
    } else if column.scale().is_none() {
        (Task::Multiclass, format!("column {name} has {count} different words"))
    } else if are_labels(survey.rows(), column, labels) {
        let (first, last) = (&names[0], &names[names.len() - 1]);
        (
            Task::Multiclass,
            format!(
                "column {name} has all labels from {first} to {last}; --task regression if they are amounts"
            ),
        )
    } else {
        (Task::Regression, format!("column {name} has {count} different numbers"))
    })
}

fn task_of(support: Support) -> Task {
    match support {
        Support::Signs => Task::Binary,
        Support::Classes(_) => Task::Multiclass,
        Support::Counts => Task::Count,
        _ => Task::Regression,
    }
}

/// How many different values there are, for people.
fn how_many(labels: &Labels) -> String {
    let more = if labels.more { "more than " } else { "" };
    format!("{more}{}", labels.names.len() - usize::from(labels.more))
}

/// Whole numbers from 0 or from 1 on, none left out, each of them often.
fn are_labels(rows: usize, column: &ColumnSurvey, labels: &Labels) -> bool {
    let (count, names) = (labels.names.len(), &labels.names);
    let from =
        |first: usize| (first..).zip(names).all(|(number, label)| *label == format_number(number as f64));
    let few = count <= MOST_LABELS && rows >= ROWS_A_LABEL * count;
    few && column.kind() == Kind::Number && (from(0) || from(1))
}

fn likelihood(
    task: Task,
    column: &ColumnSurvey,
    labels: &Labels,
    spec: &FitSpec,
    context: &Context,
) -> Result<Box<dyn Likelihood>, CliError> {
    let count = labels.names.len();
    let text = match (&spec.likelihood, task) {
        (Some(text), _) => text.clone(),
        (None, Task::Regression) => "gaussian(variance=0.1)".to_owned(),
        (None, Task::Binary) => "bernoulli_probit".to_owned(),
        (None, Task::Multiclass)
            if context.methods.find(&spec.method).is_ok_and(|method| method.evaluates_densities()) =>
        {
            format!("softmax(classes={count})")
        }
        (None, Task::Multiclass) => format!("multiclass_probit(classes={count})"),
        (None, Task::Ordinal) => format!("ordinal_probit(classes={count})"),
        (None, Task::Count) => {
            let mean = match column.values() {
                Surveyed::Numbers { sum, .. } => sum.mean(),
                Surveyed::Words(_) => 0.0,
            };
            format!("poisson(offset={})", format_number(mean.max(f64::MIN_POSITIVE).ln()))
        }
    };
    let likelihood = context.likelihoods.parse(&text).map_err(wrong_likelihood)?;
    if likelihood.outputs() != 1 {
        let what = format!(
            "the likelihood {} has {} outputs; one target column has one",
            likelihood.name(),
            likelihood.outputs()
        );
        return Err(CliError::new(ErrorKind::Usage, what));
    }
    let classes = likelihood.support().classes();
    if classes > 0 && (classes != count || labels.more) {
        let what = format!(
            "column {} has {} different values, and the likelihood {} takes {classes}",
            column.name(),
            how_many(labels),
            likelihood.expression()
        );
        return Err(CliError::new(ErrorKind::Usage, what));
    }
    Ok(likelihood)
}

fn wrong_likelihood(cause: gp_likelihoods::LikelihoodError) -> CliError {
    CliError::caused(ErrorKind::Usage, "--likelihood cannot be read", cause)
}

fn target(
    column: &ColumnSurvey,
    labels: &Labels,
    likelihood: &dyn Likelihood,
    spec: &FitSpec,
) -> Result<Target, CliError> {
    let support = likelihood.support();
    let values = match (support.classes(), column.scale()) {
        (0, Some(scale)) => {
            let scaled = spec.standardize.target() && support == Support::Real;
            // A density with heavy tails is not log-concave: who takes it expects outliers.
            let robust = labels.robust_units().filter(|_| scaled && !likelihood.is_log_concave());
            let units = robust.unwrap_or(scale);
            if scaled {
                check_range(column.name(), units)?;
            }
            TargetValues::Number(if scaled { units } else { Standardiser::identity() })
        }
        (0, None) => {
            let what = format!("column {} holds words, and the task needs numbers", column.name());
            return Err(CliError::new(ErrorKind::Data, what));
        }
        _ => TargetValues::Classes(labels.names.clone()),
    };
    Ok(Target { name: column.name().to_owned(), kind: column.kind(), values })
}

/// Variances of predictions are in units of the target's, squared.
fn check_range(name: &str, Standardiser { scale, .. }: Standardiser) -> Result<(), CliError> {
    if (scale * scale).is_normal() {
        return Ok(());
    }
    let what = format!(
        "the numbers of column {name} have a spread of {scale:.1e}, whose square is beyond the range of numbers: \
         give them in other units"
    );
    Err(CliError::new(ErrorKind::Data, what))
}

fn summary(rows: usize, column: &ColumnSurvey, target: &Target, labels: &Labels) -> TargetSummary {
    match (target.labels(), column.scale()) {
        (None, Some(Standardiser { mean, scale })) => {
            TargetSummary::Moments { mean, variance: scale * scale }
        }
        _ => TargetSummary::Shares(labels.counts.iter().map(|&count| count as f64 / rows as f64).collect()),
    }
}
