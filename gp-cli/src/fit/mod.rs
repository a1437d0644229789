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
mod choices;
mod folds;
mod kernels;
mod parameters;
mod placing;
mod plan;
mod sample;
mod spec;
mod streamed;
mod task;
mod whereabouts;

pub use checkpoint::CheckpointFolder;
pub(crate) use checkpoint::SECOND;
pub use folds::FoldFolders;
pub use plan::Plan;
pub use sample::Sample;
pub use spec::{Coupling, Covariance, FitSpec, Missing, Sites, Standardize, TaskChoice, parse_time};
pub use streamed::Streamed;
pub use task::{Observed, Task};
pub use whereabouts::Stream;

use crate::data::{Formats, Frame, Source};
use crate::error::{CliError, ErrorKind};
use crate::method::Fit;
use crate::model::{About, Approximation, Model, TrainingRecord};
use faer::MatRef;
use gp_ep::DataSource;
use gp_kernels::inducing::{Coverage, InducingInputs};
use gp_kernels::{Evaluator, KernelExt};
use serde_json::{Map, Value};

/// Reads the table of a fit as its flags say: rows that miss a value are refused or left out.
///
/// # Errors
/// As [`data::read`](crate::data::read); of kind [`Data`](ErrorKind::Data) where no row is left.
pub fn read(path: &str, format: Option<&str>, spec: &FitSpec) -> Result<(Frame, usize), CliError> {
    read_source(&Source::open(path)?, format, spec)
}

/// The same from what was read already.
///
/// # Errors
/// As [`read`].
pub fn read_source(
    source: &Source,
    format: Option<&str>,
    spec: &FitSpec,
) -> Result<(Frame, usize), CliError> {
    let frame = Formats::built_in().read(source, &spec.read_options(format)?)?;
    drop_incomplete(frame, spec.missing)
}

/// Leaves out rows that miss a value, where that was asked for, and tells how many.
///
/// # Errors
/// Of kind [`Data`](ErrorKind::Data) where no row is left.
pub fn drop_incomplete(frame: Frame, missing: Missing) -> Result<(Frame, usize), CliError> {
    let (source, rows) = (frame.source().to_owned(), frame.row_count());
    match complete(frame, missing)? {
        Some(frame) => {
            let dropped = rows - frame.row_count();
            Ok((frame, dropped))
        }
        None => Err(none_left(&source, rows)),
    }
}

/// What is left of a table, or of a piece of one, without the rows that miss a value, where that was asked for; nothing
/// where no row is left.
pub(crate) fn complete(frame: Frame, missing: Missing) -> Result<Option<Frame>, CliError> {
    if missing == Missing::Error {
        return Ok(Some(frame));
    }
    let complete = frame.complete_rows(&frame.columns().iter().collect::<Vec<_>>());
    if complete.len() == frame.row_count() {
        return Ok(Some(frame));
    }
    if complete.is_empty() { Ok(None) } else { frame.rows(&complete).map(Some) }
}

/// The error about a table whose rows all miss a value.
pub(crate) fn none_left(source: &str, rows: usize) -> CliError {
    let what = format!("`{source}`: each of its {rows} rows misses a value; none is left");
    CliError::new(ErrorKind::Data, what)
}

/// Carries out a plan. `origin` is the command that the model file names.
///
/// # Errors
/// Of kind [`Numerical`](ErrorKind::Numerical) where the start cannot be evaluated.
pub fn fit(plan: Plan, spec: &FitSpec, origin: &str) -> Result<Model, CliError> {
    let Plan { inputs, observed, method, problem, sample, .. } = plan;
    let rows = problem.rows.count();
    let baseline = baseline::linear(&problem, &sample.rows)?;
    let fit = method.fit(problem)?;
    if !fit.objective.is_finite() {
        let message =
            format!("the objective of method {} is {}; {}", method.name(), fit.objective, fit.reason);
        return Err(CliError::new(ErrorKind::Numerical, message));
    }
    let scale = observed.target.scale().scale;
    let coverage = coverage(&fit.posterior, &sample)?;
    let about = About {
        origin: origin.to_owned(),
        inputs,
        target: observed.target,
        summary: observed.summary,
        training: TrainingRecord { coverage, ..training_record(&fit, method.name(), rows, scale) },
        seed: spec.seed,
        config: config(spec),
    };
    Ok(Model::new(about, fit.posterior, baseline))
}

fn training_record(fit: &Fit, method: &str, rows: usize, scale: f64) -> TrainingRecord {
    let mut warnings = fit.warnings.clone();
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

/// How well each latent function is seen at the rows of a sample through its inducing inputs or active points, where it
/// has some.
fn coverage(posterior: &Approximation, sample: &Sample) -> Result<Vec<Coverage>, CliError> {
    let (by, (points, _)) = (Evaluator::default(), sample.rows.whole()?);
    let mut found: Vec<Coverage> = Vec::new();
    let mut before: Option<(String, MatRef<'_, f64>)> = None;
    for latent in posterior.latents() {
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
