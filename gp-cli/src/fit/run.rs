//! Execution of a plan.

use super::bare_moments;
use super::design::PartStart;
use super::influence;
use super::jitter;
use super::lost_classes;
use super::plan::{Plan, power};
use super::sample::Sample;
use super::several;
use super::spec::FitSpec;
use super::temperature::MANY_LATENTS;
use super::trained::{Trained, TrainingContext};
use crate::data::TableChoice;
use crate::encode::Role;
use crate::error::{CliError, ErrorKind};
use crate::method::{Fit, Given, TrainingRows};
use crate::model::{About, Approximation, FurtherTarget, Model, TrainingRecord, TriedKernels};
use faer::MatRef;
use gp_ep::DataSource;
use gp_kernels::inducing::{Coverage, InducingInputs};
use gp_kernels::{Evaluator, KernelExt};
use serde_json::{Map, Value};
use std::time::Instant;

/// Trained model; `origin`: command to record.
///
/// # Errors
/// [`Numerical`](ErrorKind::Numerical) if the start cannot be evaluated.
pub fn fit(plan: Plan, spec: &FitSpec, origin: &str) -> Result<Model, CliError> {
    let Plan {
        inputs,
        observed,
        method,
        mut problem,
        sample,
        placing,
        search,
        parts: starts,
        mut choices,
        warnings,
        stages,
        choice,
        marks,
        ..
    } = plan;
    let begun = Instant::now();
    let rows = problem.rows.count();
    let config = effective(spec, &choice, &problem.settings.given);
    let alpha = power(method.as_ref(), &problem);
    let targets = observed.targets();
    // The time limit covers all parts of the fit.
    problem.settings.control = problem.settings.control.begun();
    let control = problem.settings.control.clone();
    let columns = inputs.column_names();
    let task = TrainingContext {
        method: method.as_ref(),
        spec,
        stages: &stages,
        columns: &columns,
        target: None,
        begun,
    };
    let trained = match problem.parts()? {
        None => {
            let start = PartStart { search, placing, log_scales: observed.log_scales() };
            task.carry_out(problem, start, &sample.rows)?
        }
        Some(parts) => {
            let names: Vec<&str> = targets.iter().map(|of| of.target.name.as_str()).collect();
            let all = (problem.likelihood.as_ref(), parts.into_iter().zip(starts).collect());
            several::fit_apart(task, all, &sample.rows, &names)?
        }
    };
    let Trained { mut fit, baseline, temperature, kernels, starts } = trained;
    if !kernels.is_empty() {
        let chosen: Vec<String> = kernels.iter().map(chosen_kernel).collect();
        choices[2] = format!("kernel: {}", chosen.join("; "));
    }
    stages.begin("looking at what was learned");
    fit.warnings = [warnings, fit.warnings].concat();
    let is_late = control.is_over() && fit.posterior.likelihood().latents() > MANY_LATENTS;
    let lost = if is_late { Ok(None) } else { lost_classes(&fit, &sample.rows, &targets, spec.seed) };
    fit.warnings.extend(lost.or_else(|error| no_answer("the probabilities of classes", error).map(Some))?);
    let coverage = coverage(&fit.posterior, &sample)?;
    let influence = if is_late {
        fit.warnings.push(
            "the influence of the inputs was not computed, because the time limit was reached".to_owned(),
        );
        Ok(Vec::new())
    } else {
        influence::of_targets(&fit.posterior, &inputs, &sample.rows, &targets, spec.seed)
    };
    let influence = influence.or_else(|error| -> Result<_, CliError> {
        fit.warnings.push(no_answer("the influence of the inputs", error)?);
        Ok(Vec::new())
    })?;
    let record = training_record(&fit, (method.name(), alpha), (rows, &targets), observed.log_scales());
    let is_plain = observed.roles.column(Role::Weights).is_none() && targets.len() < 2;
    let log_scales = (!is_plain).then(|| observed.log_scales());
    let mut summary = observed.summary;
    bare_moments::add_rates(&mut summary, (fit.posterior.likelihood(), &observed.roles), &sample.rows)?;
    let about = About {
        origin: origin.to_owned(),
        inputs,
        target: observed.target,
        roles: observed.roles,
        summary,
        others: observed.others,
        training: TrainingRecord {
            log_scales,
            coverage,
            influence,
            temperature,
            search: kernels,
            starts,
            choices: choices.to_vec(),
            check_sum: Some(marks.check_sum),
            sketch: Some(marks.sketch.text()),
            ..record
        },
        seed: spec.seed,
        config,
    };
    let mut about = about;
    about.leave_out_idle_shares();
    Ok(Model::new(about, fit.posterior, baseline))
}

fn chosen_kernel(tried: &TriedKernels) -> String {
    let of = tried.target.as_ref().map_or_else(String::new, |name| format!(" for {name}"));
    match tried.found() {
        Some(found) => format!("{}{of}, found by a search of {} kernels", found.kernel, tried.tried.len()),
        None => format!("the default{of}, because the search ended before it found any"),
    }
}

fn effective(spec: &FitSpec, choice: &TableChoice, given: &Given) -> Map<String, Value> {
    let mut config = spec.config();
    for (name, value) in [("format", &choice.format), ("table", &choice.table), ("query", &choice.query)] {
        config.extend(value.iter().map(|value| (name.to_owned(), value.as_str().into())));
    }
    for (name, value) in given.entries() {
        config.entry(name.clone()).or_insert_with(|| value.clone());
    }
    config
}

/// Warning in place of a failed diagnostic.
fn no_answer(what: &str, error: CliError) -> Result<String, CliError> {
    if error.kind() != ErrorKind::Numerical {
        return Err(error);
    }
    Ok(format!("{what} could not be computed: {}", error.with_causes()))
}

fn lost_classes(
    fit: &Fit,
    rows: &TrainingRows,
    targets: &[FurtherTarget],
    seed: u64,
) -> Result<Option<String>, CliError> {
    let [FurtherTarget { target, .. }] = targets else { return Ok(None) };
    match target.labels() {
        Some(names) if fit.is_trained() => lost_classes::warning(&fit.posterior, rows, names, seed),
        _ => Ok(None),
    }
}

fn training_record(
    fit: &Fit,
    (method, alpha): (&str, Option<f64>),
    (rows, targets): (usize, &[FurtherTarget]),
    log_scales: f64,
) -> TrainingRecord {
    let mut warnings = fit.warnings.clone();
    warnings.extend(jitter::warning(&fit.posterior));
    TrainingRecord {
        method: method.to_owned(),
        alpha,
        rows,
        // From densities in scaled units to densities in data units.
        objective: fit.objective - log_scales,
        objective_kind: fit.objective_kind,
        converged: fit.converged,
        reason: fit.reason.clone(),
        iterations: fit.iterations,
        curve: fit.curve.iter().copied().filter(|value| value.is_finite()).collect(),
        warnings,
        coverage: Vec::new(),
        choices: Vec::new(),
        influence: Vec::new(),
        log_scales: None,
        temperature: None,
        search: Vec::new(),
        starts: Vec::new(),
        rows_of_targets: if targets.len() > 1 {
            targets.iter().map(|of| of.rows).collect()
        } else {
            Vec::new()
        },
        updates: Vec::new(),
        updated_rows: 0,
        parts: Vec::new(),
        check_sum: None,
        sketch: None,
        idle: fit.idle.clone(),
    }
}

fn coverage(posterior: &Approximation, sample: &Sample) -> Result<Vec<Coverage>, CliError> {
    let (by, (points, _)) = (Evaluator::default(), sample.rows.whole()?);
    let mut found: Vec<Coverage> = Vec::new();
    let mut before: Option<(String, MatRef<'_, f64>, Option<MatRef<'_, f64>>)> = None;
    for latent in posterior.describe() {
        let Some(z) = latent.represented_by else { continue };
        let now = (latent.kernel.expression(), z, latent.windows);
        // Classes with a shared kernel and inducing inputs share the coverage.
        let coverage = match (&before, found.last()) {
            (Some(before), Some(last)) if *before == now => *last,
            _ => {
                let centres = InducingInputs::points(z)?;
                let inputs = match latent.windows {
                    Some(windows) => centres.with_windows(windows)?,
                    None => centres,
                };
                let seen = Coverage::new(latent.kernel, &inputs, points, &by)?;
                Coverage { worst_row: sample.place(seen.worst_row), ..seen }
            }
        };
        found.push(coverage);
        before = Some(now);
    }
    Ok(found)
}
