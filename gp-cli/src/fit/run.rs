//! A plan, carried out.

use super::baseline;
use super::influence;
use super::plan::Plan;
use super::sample::Sample;
use super::skill;
use super::spec::FitSpec;
use super::start;
use crate::error::{CliError, ErrorKind};
use crate::method::{Fit, Given, SeenThrough};
use crate::model::{About, Approximation, Model, TrainingRecord};
use faer::MatRef;
use gp_ep::DataSource;
use gp_kernels::inducing::{Coverage, InducingInputs};
use gp_kernels::{Evaluator, KernelExt};
use serde_json::{Map, Value};

/// Carries out a plan. `origin` is the command that the model file names.
///
/// # Errors
/// Of kind [`Numerical`](ErrorKind::Numerical) where the start cannot be evaluated.
pub fn fit(plan: Plan, spec: &FitSpec, origin: &str) -> Result<Model, CliError> {
    let Plan { inputs, observed, method, mut problem, sample, choices, warnings, stages, .. } = plan;
    let rows = problem.rows.count();
    let config = effective(spec, &problem.settings.given);
    // The clock runs for all that is fitted.
    problem.settings.control = problem.settings.control.begun();
    if method.seen_through() == SeenThrough::InducingInputs {
        stages.begin("fitting some rows to start from");
        start::settle(&mut problem, spec, &sample.rows)?;
    }
    stages.begin("fitting the linear model");
    let baseline = baseline::linear(&problem, &sample.rows)?;
    stages.begin("training");
    let mut fit = method.fit(problem)?;
    if !fit.objective.is_finite() {
        let message =
            format!("the objective of method {} is {}; {}", method.name(), fit.objective, fit.reason);
        return Err(CliError::new(ErrorKind::Numerical, message));
    }
    stages.begin("looking at what was learned");
    skill::judge(&mut fit, &sample.rows, spec.seed)?;
    fit.warnings = [warnings, fit.warnings].concat();
    let scale = observed.target.scale().scale;
    let coverage = coverage(&fit.posterior, &sample)?;
    let influence = influence::of_rows(&fit.posterior, &inputs, &sample.rows, spec.seed)?;
    let record = training_record(&fit, method.name(), rows, scale);
    let about = About {
        origin: origin.to_owned(),
        inputs,
        target: observed.target,
        summary: observed.summary,
        training: TrainingRecord { coverage, influence, choices: choices.to_vec(), ..record },
        seed: spec.seed,
        config,
    };
    Ok(Model::new(about, fit.posterior, baseline))
}

/// What was said, and what the method was given beyond that.
fn effective(spec: &FitSpec, given: &Given) -> Map<String, Value> {
    let mut config = spec.config();
    for (name, value) in given.entries() {
        config.entry(name.clone()).or_insert_with(|| value.clone());
    }
    config
}

fn training_record(fit: &Fit, method: &str, rows: usize, scale: f64) -> TrainingRecord {
    let mut warnings = fit.warnings.clone();
    if let Some(added) =
        fit.posterior.describe().iter().map(|latent| latent.jitter).find(|&added| added > 0.0)
    {
        warnings.push(format!("{added:.1e} was added to the diagonal of a covariance matrix"));
    }
    TrainingRecord {
        method: method.to_owned(),
        rows,
        // Densities of numbers in units of `scale`.
        objective: fit.objective - rows as f64 * scale.ln(),
        objective_kind: fit.objective_kind,
        converged: fit.converged,
        reason: fit.reason.clone(),
        iterations: fit.iterations,
        curve: fit.curve.iter().copied().filter(|value| value.is_finite()).collect(),
        warnings,
        coverage: Vec::new(),
        choices: Vec::new(),
        influence: Vec::new(),
        updates: Vec::new(),
        updated_rows: 0,
    }
}

/// How well each latent function is seen at the rows of a sample through its inducing inputs or active points, where it
/// has some.
fn coverage(posterior: &Approximation, sample: &Sample) -> Result<Vec<Coverage>, CliError> {
    let (by, (points, _)) = (Evaluator::default(), sample.rows.whole()?);
    let mut found: Vec<Coverage> = Vec::new();
    let mut before: Option<(String, MatRef<'_, f64>)> = None;
    for latent in posterior.describe() {
        let Some(z) = latent.seen_through else { continue };
        let now = (latent.kernel.expression(), z);
        // Classes that share kernel and inducing inputs share this too.
        let coverage = match (&before, found.last()) {
            (Some(before), Some(last)) if *before == now => *last,
            _ => {
                let seen = Coverage::new(latent.kernel, &InducingInputs::points(z)?, points, &by)?;
                Coverage { worst_row: sample.place(seen.worst_row), ..seen }
            }
        };
        found.push(coverage);
        before = Some(now);
    }
    Ok(found)
}
