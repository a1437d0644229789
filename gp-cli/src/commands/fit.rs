//! `gp fit`: a table to a model file.

use super::{print_json, warn};
use crate::data::{Frame, ReadOptions};
use crate::error::{CliError, ErrorKind};
use crate::evaluate::{self, Evaluation};
use crate::files::OutputFile;
use crate::fit::{self, FitSpec, Plan};
use crate::model::Model;
use crate::notes::Notes;
use crate::out;
use gp_kernels::KernelExt;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// The command, as model files name their origin.
const ORIGIN: &str = "gp fit";

/// Options of `gp fit`.
#[derive(Clone, Debug, clap::Args)]
pub struct FitOptions {
    /// Table to learn from; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// What is fitted, and how
    #[command(flatten)]
    pub spec: FitSpec,
    /// Model file to write
    #[arg(long, short, value_name = "MODEL", default_value = "model.gp")]
    pub output: PathBuf,
    /// Format of the tables: csv, parquet, arrow, npy, npz, idx or libsvm; found from the file unless given
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Table to score the model on
    #[arg(long, value_name = "DATA")]
    pub test: Option<String>,
    /// Folder to keep the state of training in
    #[arg(long, value_name = "DIR")]
    pub checkpoint: Option<PathBuf>,
    /// Folder to go on from
    #[arg(long, value_name = "DIR")]
    pub resume: Option<PathBuf>,
    /// File that says what flags say; flags win
    #[arg(long, value_name = "TOML")]
    pub config: Option<PathBuf>,
    /// Fail, and write nothing, where training did not converge
    #[arg(long)]
    pub strict: bool,
    /// Replace a model file that is there, and go on where memory looks scarce
    #[arg(long)]
    pub force: bool,
    /// Print how it went as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Learns a model, writes its file, and prints how it went where that was asked for.
///
/// # Errors
/// Of the kind of whatever failed; the model file is then as it was.
pub fn run(options: &FitOptions, out: &mut dyn Write, notes: &mut Notes<'_>) -> Result<(), CliError> {
    refuse_checkpoints(options)?;
    let spec = &options.spec;
    spec.target()?;
    let output = OutputFile::prepare(&options.output, options.force)?;
    let (frame, dropped) = fit::read(&options.data, options.format.as_deref(), spec)?;
    if dropped > 0 {
        notes.say(format_args!("left out {dropped} rows that miss a value"));
    }
    let plan = Plan::new(&frame, spec)?;
    drop(frame);
    plan.choices.iter().for_each(|choice| notes.say(format_args!("{choice}")));
    check_memory(&plan, options.force)?;
    let test = options.test.as_deref().map(|path| read_test(path, options, &plan)).transpose()?;

    let start = Instant::now();
    let model = fit::fit(plan, spec, ORIGIN)?;
    let seconds = start.elapsed().as_secs_f64();
    say_outcome(&model, seconds, notes);
    let training = &model.about().training;
    if options.strict && !training.converged {
        let message = format!("training did not converge: {}; nothing was written", training.reason);
        return Err(CliError::new(ErrorKind::NotConverged, message));
    }
    let scores = test.map(|test| evaluate::evaluate(&model, &test)).transpose()?;
    output.write(&model.to_bytes()?)?;
    notes.say(format_args!("wrote {}", output.path().display()));
    show(options, &model, scores.as_ref(), seconds, out)
}

/// Training that goes on where it left off is not there yet for models: their state is more than parameters.
fn refuse_checkpoints(options: &FitOptions) -> Result<(), CliError> {
    let given = [("--checkpoint", &options.checkpoint), ("--resume", &options.resume)];
    match given.iter().find(|(_, folder)| folder.is_some()) {
        None => Ok(()),
        Some((flag, _)) => {
            let message = format!(
                "{flag}: this version has no method that keeps checkpoints; --time-limit bounds a run"
            );
            Err(CliError::new(ErrorKind::Usage, message))
        }
    }
}

/// Reads the table to score on, and looks whether it can be, before any time is spent.
fn read_test(path: &str, options: &FitOptions, plan: &Plan) -> Result<Frame, CliError> {
    let mut read = ReadOptions { format: options.format.clone(), ..ReadOptions::default() };
    plan.inputs.extend(&mut read);
    plan.observed.target.extend(&mut read);
    let (frame, _) = fit::drop_incomplete(crate::data::read(path, &read)?, options.spec.missing)?;
    plan.inputs.encode(&frame)?;
    plan.observed.target.encode(&frame, plan.observed.likelihood.support())?;
    Ok(frame)
}

fn check_memory(plan: &Plan, force: bool) -> Result<(), CliError> {
    let (needed, Some(free)) = (plan.memory(), free_memory()) else { return Ok(()) };
    if needed <= free || force {
        return Ok(());
    }
    let message = format!(
        "method {} needs about {:.1} GB of memory, and {:.1} GB are free; choose another with --method or fewer inducing inputs, or go on with --force",
        plan.method.name(),
        needed / 1e9,
        free / 1e9
    );
    Err(CliError::new(ErrorKind::Usage, message))
}

/// Bytes of memory that can be had, where the system tells.
fn free_memory() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| 1024.0 * kilobytes)
}

fn say_outcome(model: &Model, seconds: f64, notes: &mut Notes<'_>) {
    let training = &model.about().training;
    let outcome = if training.converged { "converged" } else { "did not converge" };
    notes.say(format_args!(
        "{outcome} after {} iterations and {seconds:.1} s: {}",
        training.iterations, training.reason
    ));
    notes.say(format_args!("{}: {:.3} nats", training.objective_kind.words(), training.objective));
    warn(notes, &training.warnings);
}

fn show(
    options: &FitOptions,
    model: &Model,
    scores: Option<&Evaluation>,
    seconds: f64,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    if options.json {
        return print_json(out, &summary(options, model, scores, seconds));
    }
    scores.map_or(Ok(()), |scores| out::print(out, evaluate::table(scores).as_bytes()))
}

/// How it went, for programs.
fn summary(options: &FitOptions, model: &Model, scores: Option<&Evaluation>, seconds: f64) -> Value {
    let (training, latents) = (&model.about().training, model.posterior().latents());
    let mut kernels: Vec<String> = latents.iter().map(|latent| latent.kernel.expression()).collect();
    let kernel = if kernels.len() == 1 { Value::String(kernels.remove(0)) } else { kernels.into() };
    let m = latents.iter().filter_map(|latent| latent.seen_through).map(|points| points.nrows()).max();
    json!({
        "objective": training.objective,
        "objective_kind": training.objective_kind,
        "method": training.method,
        "kernel": kernel,
        "likelihood": model.posterior().likelihood().expression(),
        "n": training.rows,
        "m": m,
        "converged": training.converged,
        "reason": training.reason,
        "iterations": training.iterations,
        "seconds": seconds,
        "jitter": latents.iter().map(|latent| latent.jitter).fold(0.0, f64::max),
        "warnings": training.warnings,
        "test": scores.map(Evaluation::to_json),
        "model": options.output.display().to_string(),
    })
}
