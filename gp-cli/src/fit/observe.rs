//! Task, likelihood and scale of the target.

use super::bare_moments;
use super::bounds;
use super::default_likelihoods::{ClassIntegrals, default_likelihood};
use super::default_noise;
use super::label_names;
use super::names;
use super::observed::{Observed, check_range};
use super::order::{self, in_order};
use super::several;
use super::spec::FitSpec;
use super::task::Task;
use super::task_choice::{as_said, check_task, task};
use super::variation;
use crate::context::Context;
use crate::encode::{ColumnSurvey, Labels, Role, Survey, Surveyed, Target, TargetValues};
use crate::error::{CliError, ErrorKind};
use crate::method::ALPHA;
use crate::model::TargetSummary;
use crate::standardise::Standardiser;
use gp_likelihoods::{Likelihood, Link, Support};
use gp_optim::format_number;

pub(super) fn observe(survey: &Survey, spec: &FitSpec, context: &Context) -> Result<Observed, CliError> {
    if survey.targets().len() > 1 {
        return several::observe(survey, spec, context);
    }
    let (column, labels) = (survey.target()?, survey.labels());
    variation::check_target(survey, &labels, spec.task)?;
    let labels = in_order(labels, column.name(), &spec.order)?;
    let (task, reason) = task(survey, column, &labels, spec, context)?;
    order::check(task, column, &labels, spec)?;
    label_names::check(task, column.name(), spec)?;
    let mut likelihood = likelihood(task, survey, &labels, spec, context)?;
    let (task, reason) = observed_task(task, reason, likelihood.as_ref());
    let roles = spec.roles();
    roles.check_likelihood(likelihood.as_ref())?;
    variation::check_observed(survey, &labels, likelihood.as_ref())?;
    let target = target(survey, &labels, likelihood.as_ref(), spec)?;
    let as_it_is = target.scale() == Standardiser::identity();
    let spread = if as_it_is { column.scale().map_or(1.0, |units| units.scale) } else { 1.0 };
    bounds::check_noise(likelihood.as_ref())?;
    bounds::bound_outliers(likelihood.as_mut(), spread * spread)?;
    bounds::bound_weighted(likelihood.as_mut(), spread * spread, survey.mean_weight())?;
    default_noise::set_prior(likelihood.as_mut(), spec)?;
    let moved = survey.moved(0).filter(|_| likelihood.link() == Link::Identity);
    let summary = summary(column, moved, &target, &labels);
    let (rows, weights, others) = (survey.rows(), vec![survey.weight()], Vec::new());
    Ok(Observed { task, reason, target, roles, weights, summary, rows, others, likelihood })
}

fn observed_task(task: Task, reason: String, likelihood: &dyn Likelihood) -> (Task, String) {
    match (task, likelihood.support()) {
        (Task::Regression, Support::Counts) => (Task::Count, "of --likelihood".to_owned()),
        _ => (task, reason),
    }
}

fn likelihood(
    task: Task,
    survey: &Survey,
    labels: &Labels,
    spec: &FitSpec,
    context: &Context,
) -> Result<Box<dyn Likelihood>, CliError> {
    let column = survey.target()?;
    let count = labels.names.len();
    let default = default_likelihood(task, class_integrals(survey, spec, context));
    let text = match (&spec.likelihood, task) {
        (Some(text), _) => text.clone(),
        (None, Task::Regression | Task::Binary) => default.to_owned(),
        (None, Task::Multiclass | Task::Ordinal) => format!("{default}(classes={count})"),
        (None, Task::Count) => {
            let mean = |column: &ColumnSurvey| match column.values() {
                Surveyed::Numbers { sum, .. } => sum.mean(),
                Surveyed::Words(_) => 0.0,
            };
            let exposure = survey.role(Role::Exposure, 0).map_or(1.0, mean);
            let offset = survey.role(Role::Offset, 0).map_or(0.0, mean);
            let rate = (mean(column) / exposure).max(f64::MIN_POSITIVE);
            format!("{default}(offset={})", format_number(rate.ln() - offset))
        }
    };
    let likelihood = as_said(&text, labels, context)?;
    if likelihood.outputs() != 1 {
        let what = format!(
            "the likelihood {} has {} outputs, and there is one target; name all with --target A,B",
            likelihood.name(),
            likelihood.outputs()
        );
        return Err(CliError::new(ErrorKind::Usage, what));
    }
    check_task(task, likelihood.as_ref())?;
    let classes = likelihood.support().classes();
    if classes > 0 && (classes != count || labels.more) {
        let what = format!(
            "column {} has {} different values, and the likelihood {} takes {classes}; --likelihood {} takes those of the column",
            column.name(),
            labels.how_many(),
            likelihood.expression(),
            of_any_number(likelihood.as_ref(), survey, spec, context)
        );
        return Err(CliError::new(ErrorKind::Usage, what));
    }
    Ok(likelihood)
}

fn of_any_number<'l>(
    likelihood: &'l dyn Likelihood,
    survey: &Survey,
    spec: &FitSpec,
    context: &Context,
) -> &'l str {
    let default = || default_likelihood(Task::Multiclass, class_integrals(survey, spec, context));
    if names::takes_classes(likelihood) { likelihood.name() } else { default() }
}

fn class_integrals(survey: &Survey, spec: &FitSpec, context: &Context) -> ClassIntegrals {
    let small = |power: Option<f64>| power.is_some_and(|power| power < 1.0);
    if context.methods.find(&spec.method).is_ok_and(|method| method.evaluates_densities()) {
        ClassIntegrals::Densities
    } else if spec.alpha_column.is_some()
        || small(spec.settings.number(&ALPHA))
        || small(survey.role(Role::Weights, 0).and_then(ColumnSurvey::least))
    {
        ClassIntegrals::Powers
    } else {
        ClassIntegrals::Factors
    }
}

fn target(
    survey: &Survey,
    labels: &Labels,
    likelihood: &dyn Likelihood,
    spec: &FitSpec,
) -> Result<Target, CliError> {
    let column = survey.target()?;
    // Subtracting the offset changes the scale.
    let moved = survey.moved(0).filter(|_| likelihood.link() == Link::Identity);
    let support = likelihood.support();
    let values = match (support.classes(), moved.unwrap_or(column).scale()) {
        (0, Some(scale)) => {
            let scaled = spec.standardize.target() && support == Support::Real;
            // A likelihood that is not log-concave has heavy tails, for data with outliers.
            let robust = || match moved {
                None => labels.robust_units(),
                Some(_) => survey.moved_labels(0).robust_units(),
            };
            let robust = if scaled && !likelihood.is_log_concave() { robust() } else { None };
            let units = robust.unwrap_or(scale);
            if scaled {
                check_range(survey, column, units)?;
            }
            TargetValues::Number(if scaled { units } else { Standardiser::identity() })
        }
        (0, None) => {
            let like = column.lookalike().map_or_else(String::new, |like| format!("; {like}"));
            let what = format!("column {} holds words, and the task needs numbers{like}", column.name());
            return Err(CliError::new(ErrorKind::Data, what));
        }
        _ => TargetValues::Classes(labels.names.clone()),
    };
    let names = match &values {
        TargetValues::Classes(texts) => label_names::of(&spec.labels, labels, texts, column.name())?,
        TargetValues::Number(_) => Vec::new(),
    };
    Ok(Target { name: column.name().to_owned(), kind: column.kind(), values, names })
}

fn summary(
    column: &ColumnSurvey,
    moved: Option<&ColumnSurvey>,
    target: &Target,
    labels: &Labels,
) -> TargetSummary {
    match (target.labels(), column.scale()) {
        (None, Some(Standardiser { mean, scale })) => {
            let bare = bare_moments::of_differences(moved);
            TargetSummary::Moments { mean, variance: scale * scale, bare }
        }
        _ => TargetSummary::Frequencies(labels.frequencies()),
    }
}
