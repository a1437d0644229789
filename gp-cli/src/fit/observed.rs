//! The target as the likelihood takes it.

use super::bounds;
use super::names;
use super::order::{self, in_order};
use super::several;
use super::spec::FitSpec;
use super::task::{Task, how_many, task, wrong_likelihood};
use super::variation;
use crate::context::Context;
use crate::data::Frame;
use crate::encode::{
    ColumnSurvey, Labels, Role, Roles, Survey, Surveyed, Target, TargetValues, observations,
};
use crate::error::{CliError, ErrorKind};
use crate::model::{FurtherTarget, TargetSummary};
use crate::standardise::Standardiser;
use gp_likelihoods::{Adjusted, Likelihood, Link, Support};
use gp_optim::format_number;

/// The target as the likelihood takes it.
#[derive(Debug)]
pub struct Observed {
    /// What the target is.
    pub task: Task,
    /// Why.
    pub reason: String,
    /// How its values become observations.
    pub target: Target,
    /// The columns with a role.
    pub roles: Roles,
    /// How much all rows weigh: N unless they have weights.
    pub weight: f64,
    /// Its distribution.
    pub summary: TargetSummary,
    /// Rows that do not miss it.
    pub rows: usize,
    /// The targets besides, where there are several.
    pub others: Vec<FurtherTarget>,
    /// What an observation says about its latent value, with the parameters that training starts from.
    pub likelihood: Box<dyn Likelihood>,
}

impl Observed {
    /// All targets.
    #[must_use]
    pub fn targets(&self) -> Vec<FurtherTarget> {
        let (target, summary) = (self.target.clone(), self.summary.clone());
        [FurtherTarget { target, summary, rows: self.rows }].into_iter().chain(self.others.clone()).collect()
    }

    /// The logarithms of the scales of all observations, each as often as it weighs: what densities in the units of the data
    /// are less than those in units of scales.
    #[must_use]
    pub fn log_scales(&self) -> f64 {
        let log_scale = |target: &Target| target.scale().scale.ln();
        let one = if self.others.is_empty() { self.weight } else { self.rows as f64 };
        let others = self.others.iter().map(|of| of.rows as f64 * log_scale(&of.target));
        others.fold(one * log_scale(&self.target), |sum, own| sum + own)
    }

    /// The likelihood of observations with the columns that roles make.
    #[must_use]
    pub fn adjusted(&self) -> Box<dyn Likelihood> {
        let plain = self.likelihood.clone();
        if self.roles.adjust() { Box::new(Adjusted::new(plain)) } else { plain }
    }

    /// The observations of a table, row by row.
    ///
    /// # Errors
    /// As [`observations`](crate::encode::observations()).
    pub fn encode(&self, frame: &Frame) -> Result<Vec<f64>, CliError> {
        let all = self.targets();
        let targets: Vec<&Target> = all.iter().map(|of| &of.target).collect();
        observations(frame, &targets, &self.roles, self.likelihood.as_ref())
    }
}

/// Finds out what the target of a table is, and how it is observed.
///
/// # Errors
/// Of kind [`Data`](ErrorKind::Data) for a target that says nothing or that the likelihood cannot take, of kind
/// [`Usage`](ErrorKind::Usage) for a task or a likelihood that does not go with it.
pub(super) fn observe(survey: &Survey, spec: &FitSpec, context: &Context) -> Result<Observed, CliError> {
    if survey.targets().len() > 1 {
        return several::observe(survey, spec, context);
    }
    let (column, labels) = (survey.target()?, survey.labels());
    variation::check_target(survey, &labels, spec.task)?;
    let labels = in_order(labels, column.name(), &spec.order)?;
    let (task, reason) = task(survey, column, &labels, spec, context)?;
    order::check(task, column, &labels, spec)?;
    let mut likelihood = likelihood(task, survey, &labels, spec, context)?;
    let roles = spec.roles();
    roles.check_likelihood(likelihood.as_ref())?;
    variation::check_observed(survey, &labels, likelihood.as_ref())?;
    let target = target(survey, &labels, likelihood.as_ref(), spec)?;
    let as_it_is = target.scale() == Standardiser::identity();
    let spread = if as_it_is { column.scale().map_or(1.0, |units| units.scale) } else { 1.0 };
    bounds::bound_outliers(likelihood.as_mut(), spread * spread)?;
    let summary = summary(column, &target, &labels);
    let (rows, weight, others) = (survey.rows(), survey.weight(), Vec::new());
    Ok(Observed { task, reason, target, roles, weight, summary, rows, others, likelihood })
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
            let mean = |column: &ColumnSurvey| match column.values() {
                Surveyed::Numbers { sum, .. } => sum.mean(),
                Surveyed::Words(_) => 0.0,
            };
            let exposure = survey.role(Role::Exposure).map_or(1.0, mean);
            let offset = survey.role(Role::Offset).map_or(0.0, mean);
            let rate = (mean(column) / exposure).max(f64::MIN_POSITIVE);
            format!("poisson(offset={})", format_number(rate.ln() - offset))
        }
    };
    let likelihood = context
        .likelihoods
        .parse(&names::likelihood(&text, &context.likelihoods))
        .map_err(wrong_likelihood)?;
    if likelihood.outputs() != 1 {
        let what = format!(
            "the likelihood {} has {} outputs, and there is one target; name all with --target A,B",
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

fn target(
    survey: &Survey,
    labels: &Labels,
    likelihood: &dyn Likelihood,
    spec: &FitSpec,
) -> Result<Target, CliError> {
    let column = survey.target()?;
    // What is left of a target without its offset has units of its own.
    let moved = survey.moved().filter(|_| likelihood.link() == Link::Identity);
    let support = likelihood.support();
    let values = match (support.classes(), moved.unwrap_or(column).scale()) {
        (0, Some(scale)) => {
            let scaled = spec.standardize.target() && support == Support::Real;
            // A density with heavy tails is not log-concave: who takes it expects outliers.
            let robust = || match moved {
                None => labels.robust_units(),
                Some(_) => survey.moved_labels().robust_units(),
            };
            let robust = if scaled && !likelihood.is_log_concave() { robust() } else { None };
            let units = robust.unwrap_or(scale);
            if scaled {
                check_range(column.name(), units)?;
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
    Ok(Target { name: column.name().to_owned(), kind: column.kind(), values })
}

/// Variances of predictions are in units of the target's, squared.
pub(super) fn check_range(name: &str, Standardiser { scale, .. }: Standardiser) -> Result<(), CliError> {
    if (scale * scale).is_normal() {
        return Ok(());
    }
    let what = format!(
        "the numbers of column {name} have a spread of {scale:.1e}, whose square is beyond the range of numbers: \
         give them in other units"
    );
    Err(CliError::new(ErrorKind::Data, what))
}

fn summary(column: &ColumnSurvey, target: &Target, labels: &Labels) -> TargetSummary {
    match (target.labels(), column.scale()) {
        (None, Some(Standardiser { mean, scale })) => {
            TargetSummary::Moments { mean, variance: scale * scale }
        }
        _ => TargetSummary::Shares(labels.shares()),
    }
}
