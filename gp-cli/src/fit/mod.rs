//! From a table to a model.
//!
//! ```
//! use gp_cli::data::{Formats, ReadOptions, Source};
//! use gp_cli::fit::{FitSpec, Plan, fit};
//!
//! let spec = FitSpec::from_flags(["--target", "y", "--kernel", "1 * rbf"])?;
//!
//! let rows = (0..30).map(|i| format!("{},{}\n", 0.2 * f64::from(i), (0.2 * f64::from(i)).sin()));
//! let text = "x,y\n".to_owned() + &rows.collect::<String>();
//! let frame = Formats::built_in().read(&Source::from_bytes("sine.csv", text.into())?, &ReadOptions::default())?;
//! let model = fit(Plan::new(&frame, &spec)?, &spec, "an example")?;
//!
//! let points = model.inputs().encode(&frame)?.points;
//! let latents = model.posterior().predict(points.as_ref())?;
//! let mean = model.target().scale().undo(latents.functions()[0].mean[5]);
//! assert!((mean - 1f64.sin()).abs() < 0.01);
//! # Ok::<(), gp_cli::CliError>(())
//! ```

mod baseline;
mod checkpoint;
mod parameters;
mod plan;
mod spec;
mod task;

pub use checkpoint::CheckpointFolder;
pub(crate) use checkpoint::SECOND;
pub use plan::Plan;
pub use spec::{Coupling, Covariance, FitSpec, Missing, Sites, Standardize, TaskChoice, parse_time};
pub use task::{Observed, Task};

use crate::data::Frame;
use crate::error::{CliError, ErrorKind};
use crate::method::Fit;
use crate::model::{About, Approximation, Model, TrainingRecord};
use faer::MatRef;
use gp_kernels::inducing::{Coverage, InducingInputs};
use gp_kernels::{Evaluator, KernelExt};
use serde_json::{Map, Value};

/// Reads the table of a fit as its flags say: rows that miss a value are refused or left out.
///
/// # Errors
/// As [`data::read`](crate::data::read); of kind [`Data`](ErrorKind::Data) where no row is left.
pub fn read(path: &str, format: Option<&str>, spec: &FitSpec) -> Result<(Frame, usize), CliError> {
    let frame = crate::data::read(path, &spec.read_options(format)?)?;
    drop_incomplete(frame, spec.missing)
}

/// Leaves out rows that miss a value, where that was asked for, and tells how many.
///
/// # Errors
/// Of kind [`Data`](ErrorKind::Data) where no row is left.
pub fn drop_incomplete(frame: Frame, missing: Missing) -> Result<(Frame, usize), CliError> {
    if missing == Missing::Error {
        return Ok((frame, 0));
    }
    let complete = frame.complete_rows(&frame.columns().iter().collect::<Vec<_>>());
    let dropped = frame.row_count() - complete.len();
    match dropped {
        0 => Ok((frame, 0)),
        _ if complete.is_empty() => {
            let what =
                format!("`{}`: each of its {dropped} rows misses a value; none is left", frame.source());
            Err(CliError::new(ErrorKind::Data, what))
        }
        _ => Ok((frame.rows(&complete)?, dropped)),
    }
}

/// Carries out a plan. `origin` is the command that the model file names.
///
/// # Errors
/// Of kind [`Numerical`](ErrorKind::Numerical) where the start cannot be evaluated.
pub fn fit(plan: Plan, spec: &FitSpec, origin: &str) -> Result<Model, CliError> {
    let Plan { inputs, observed, method, problem, warnings, .. } = plan;
    let (rows, points) = (problem.points.nrows(), problem.points.clone());
    let baseline = baseline::linear(&problem)?;
    let fit = method.fit(problem)?;
    if !fit.objective.is_finite() {
        let message =
            format!("the objective of method {} is {}; {}", method.name(), fit.objective, fit.reason);
        return Err(CliError::new(ErrorKind::Numerical, message));
    }
    let scale = observed.target.scale().scale;
    let coverage = coverage(&fit.posterior, points.as_ref())?;
    let about = About {
        origin: origin.to_owned(),
        inputs,
        target: observed.target,
        summary: observed.summary,
        training: TrainingRecord { coverage, ..training_record(&fit, method.name(), rows, scale, warnings) },
        seed: spec.seed,
        config: config(spec),
    };
    Ok(Model::new(about, fit.posterior, baseline))
}

fn training_record(
    fit: &Fit,
    method: &str,
    rows: usize,
    scale: f64,
    mut warnings: Vec<String>,
) -> TrainingRecord {
    warnings.extend(fit.warnings.iter().cloned());
    if let Some(added) = fit.posterior.latents().iter().map(|latent| latent.jitter).find(|&added| added > 0.0)
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
        updates: Vec::new(),
    }
}

/// How well each latent function is seen through its inducing inputs or active points, where it has some.
fn coverage(posterior: &Approximation, points: MatRef<'_, f64>) -> Result<Vec<Coverage>, CliError> {
    let by = Evaluator::default();
    let mut found: Vec<Coverage> = Vec::new();
    let mut before: Option<(String, MatRef<'_, f64>)> = None;
    for latent in posterior.latents() {
        let Some(z) = latent.seen_through else { continue };
        let now = (latent.kernel.expression(), z);
        // Classes that share kernel and inducing inputs share this too.
        let coverage = match (&before, found.last()) {
            (Some(before), Some(last)) if *before == now => *last,
            _ => Coverage::new(latent.kernel, &InducingInputs::points(z)?, points, &by)?,
        };
        found.push(coverage);
        before = Some(now);
    }
    Ok(found)
}

/// The effective configuration: what was said, and the defaults of what was not.
fn config(spec: &FitSpec) -> Map<String, Value> {
    match serde_json::to_value(spec) {
        Ok(Value::Object(entries)) => entries.into_iter().filter(|(_, value)| !is_nothing(value)).collect(),
        _ => Map::new(),
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}
