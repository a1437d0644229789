//! Several targets in one model.
//!
//! Targets with own latents and kernels are fitted separately on their rows, others together.

mod mixture;
mod parts;
mod separate;
mod whole_numbers;

pub(super) use mixture::start_mixture;
pub(super) use parts::parts;
pub(super) use separate::fit_apart;
pub(super) use whole_numbers::no_amounts;

use super::bare_moments;
use super::bounds;
use super::default_noise;
use super::observed::{Observed, check_range};
use super::spec::FitSpec;
use super::task::Task;
use super::task_choice::wrong_likelihood;
use crate::context::Context;
use crate::data::Kind;
use crate::encode::{ColumnSurvey, Survey, Surveyed, Target, TargetValues};
use crate::error::{CliError, ErrorKind};
use crate::model::{FurtherTarget, TargetSummary};
use crate::standardise::Standardiser;
use gp_likelihoods::{Coregionalised, Gaussians, Likelihood, Support};
use gp_optim::{Parameter, Prior};

/// Initial noise, for targets of variance 1.
const NOISE: f64 = 0.1;

pub(super) fn observe(survey: &Survey, spec: &FitSpec, context: &Context) -> Result<Observed, CliError> {
    let (columns, roles) = (survey.targets(), spec.roles());
    let (mut likelihood, reason) = likelihood(columns.len(), spec, context)?;
    roles.check_likelihood(likelihood.as_ref())?;
    let scaled = spec.standardize.target() && likelihood.support() == Support::Real;
    let mut targets = Vec::with_capacity(columns.len());
    for (place, column) in columns.iter().enumerate() {
        check_column(survey, (place, column))?;
        // Subtracting the offset changes the scale.
        let own = survey.moved(place).unwrap_or(column).scale().unwrap_or(Standardiser::identity());
        if scaled {
            check_range(survey, column, own)?;
        }
        let with_offset = column.scale().unwrap_or(own);
        let units = if scaled { own } else { Standardiser::identity() };
        targets.push(FurtherTarget {
            target: Target {
                name: column.name().to_owned(),
                kind: column.kind(),
                values: TargetValues::Number(units),
                names: Vec::new(),
            },
            summary: TargetSummary::Moments {
                mean: with_offset.mean,
                variance: with_offset.scale.powi(2),
                bare: bare_moments::of_differences(survey.moved(place)),
            },
            rows: survey.rows() - column.missing(),
        });
    }
    let least = targets.iter().map(own_variance).fold(f64::INFINITY, f64::min);
    bounds::check_noise(likelihood.as_ref())?;
    bounds::bound_weighted(likelihood.as_mut(), least, survey.mean_weight())?;
    default_noise::set_prior(likelihood.as_mut(), spec)?;
    let FurtherTarget { target, summary, rows } = targets.remove(0);
    Ok(Observed {
        task: Task::Regression,
        reason,
        target,
        roles,
        weights: (0..columns.len()).map(|place| survey.weight_of_target(place)).collect(),
        summary,
        rows,
        others: targets,
        likelihood,
    })
}

/// Target variance in likelihood units.
fn own_variance(of: &FurtherTarget) -> f64 {
    match of.summary {
        TargetSummary::Moments { variance, .. } if of.target.scale() == Standardiser::identity() => variance,
        _ => 1.0,
    }
}

fn check_column(survey: &Survey, (place, column): (usize, &ColumnSurvey)) -> Result<(), CliError> {
    let (source, name) = (survey.source(), column.name());
    let wrong =
        |what: String| Err(CliError::new(ErrorKind::Data, format!("`{source}`, column {name}: {what}")));
    let Surveyed::Numbers { .. } = column.values() else {
        let like = column.lookalike().map_or_else(String::new, |like| format!("; {like}"));
        return wrong(format!(
            "it holds words, and several targets in one model must be numbers; fit a model of its own{like}"
        ));
    };
    if column.kind() == Kind::Boolean {
        return wrong(
            "it is true or false, and several targets in one model must be numbers; fit a model of its own"
                .to_owned(),
        );
    }
    if survey.labels_of(place).names.len() < 2 {
        return wrong(
            "it does not vary where it is not missing; there is nothing to learn from it, leave it out of --target"
                .to_owned(),
        );
    }
    Ok(())
}

fn likelihood(
    outputs: usize,
    spec: &FitSpec,
    context: &Context,
) -> Result<(Box<dyn Likelihood>, String), CliError> {
    if let Some(text) = &spec.likelihood {
        let found = context.likelihoods.parse(text).map_err(wrong_likelihood)?;
        if found.outputs() == outputs {
            return Ok((found, "by the likelihood".to_owned()));
        }
        let (name, has) = (found.name(), found.outputs());
        let advice = if found.settings().iter().any(|(name, _)| *name == "outputs") {
            format!("say {name}(outputs={outputs}, …)")
        } else {
            "fit a model for each target".to_owned()
        };
        let plural = if has == 1 { "output" } else { "outputs" };
        let what =
            format!("--likelihood {name} has {has} {plural}, and there are {outputs} targets; {advice}");
        return Err(CliError::usage(what));
    }
    let noise = vec![NOISE; outputs];
    match spec.latents {
        None => Ok((Gaussians::new(noise)?.into(), format!("there are {outputs} targets"))),
        Some(0) => Err(CliError::usage("--latents 0: at least one latent function is needed".to_owned())),
        Some(latents) => {
            // Mixing weights are initialised from the data later.
            let mut mixed = Coregionalised::new(latents, vec![1.0; outputs * latents], noise)?;
            mixed_prior(gp_likelihoods::Described::parameters_mut(&mut mixed))?;
            let plural = if latents == 1 { "function" } else { "functions" };
            Ok((
                mixed.into(),
                format!("the {outputs} targets mix {latents} latent {plural} (set by --latents)"),
            ))
        }
    }
}

/// Separates scales of weights and latents: only products are identified.
fn mixed_prior(parameters: &mut [Parameter]) -> Result<(), CliError> {
    Ok(parameters[0].set_prior(Some(Prior::Normal { mean: 0.0, sd: 1.0 }))?)
}
