//! `gp fit`: trains a model on a table.

use super::traffic::with_traffic;
use super::{and_settings, and_table, print_json, warn};
use crate::context::Context;
use crate::course::Course;
use crate::data::{Frame, ReadOptions, Stream, TableChoice};
use crate::encode::{RoleValues, Target, encode_targets};
use crate::error::{CliError, ErrorKind};
use crate::evaluate::{self, Evaluation};
use crate::files::{InputFiles, OutputFile, TraceFile};
use crate::fit::{self, CheckpointFolder, ExpectedTime, FitSpec, Plan, Streamed, parse_time};
use crate::in_step;
use crate::interrupt;
use crate::left_out::{LeftOut, counted};
use crate::model::{Model, TriedKernels, TriedStart, TriedStarts};
use crate::notes::Notes;
use crate::out;
use gp_kernels::KernelExt;
use gp_optim::{Control, StopReason, Team};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const ORIGIN: &str = "gp fit";

/// Options of `gp fit`.
#[derive(Clone, Debug, clap::Args)]
pub struct FitOptions {
    /// Table to fit: a file, a folder of files with the same columns, or - for the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Model to fit
    #[command(flatten)]
    pub spec: FitSpec,
    /// Model file to write
    #[arg(long, short, value_name = "MODEL", default_value = "model.gp")]
    pub output: PathBuf,
    /// Table to read; its format and name also apply to --test, where possible
    #[command(flatten)]
    pub choice: TableChoice,
    /// Place of the rows during the fit: memory, or a temporary file that is read in parts (methods {streaming}; tables
    /// in {piecewise}). The model of a method is the same; --method auto may choose another method
    #[arg(long, value_enum, default_value_t = Stream::Auto)]
    pub stream: Stream,
    /// Table to score the model on
    #[arg(long, value_name = "DATA")]
    pub test: Option<String>,
    /// SELECT statement for --test, if it is a database
    #[arg(long, value_name = "SQL", requires = "test")]
    pub test_query: Option<String>,
    /// Folder for the state of training, to --resume from after Ctrl-C or a crash
    #[arg(long, value_name = "DIR", conflicts_with = "resume", group = "kept")]
    pub checkpoint: Option<PathBuf>,
    /// Checkpoint folder to resume from, with the same data and settings; the model is the same as without an
    /// interruption
    #[arg(long, value_name = "DIR", group = "kept")]
    pub resume: Option<PathBuf>,
    /// Minimum time between checkpoints, such as 10s; 0s for every iteration
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "10s", requires = "kept")]
    pub checkpoint_every: Duration,
    /// File to write during training, one line of JSON per iteration
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Configuration file; flags take precedence
    #[arg(long, value_name = "TOML")]
    pub config: Option<PathBuf>,
    /// Fail (exit code 6) and write no model if training does not converge
    #[arg(long)]
    pub strict: bool,
    /// Replace an existing model file
    #[arg(long)]
    pub force: bool,
    /// Print a summary as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Trains, writes and summarises a model.
///
/// # Errors
/// Any failure; the model file stays unchanged.
pub fn run(
    options: &FitOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let spec = &options.spec;
    spec.targets()?;
    let inputs = inputs(options);
    in_step::check_inputs(&context.team, &inputs)?;
    let inputs = and_checkpoints(inputs, options);
    let output = OutputFile::prepare("--output", &options.output, options.force, &inputs)?;
    let inputs = inputs.and("--output", Some(&options.output));
    options.trace.iter().try_for_each(|path| inputs.check("--trace", path))?;
    let (plan, dropped) = plan(options, context, notes)?;
    let test = options.test.as_deref().map(|path| read_test(path, options, &plan, context)).transpose()?;
    let what = spec.missing_rules()?.missed();
    let missed = dropped.sentence("", what);
    let of_test = test
        .as_ref()
        .and_then(|(frame, left_out)| left_out.sentence(&format!(" of {}", frame.source()), what));
    missed.iter().chain(&of_test).for_each(|line| notes.say(format_args!("{line}")));
    plan.choices
        .iter()
        .chain([&plan.cost])
        .chain(&plan.notes)
        .for_each(|line| notes.say(format_args!("{line}")));
    let expected = if notes.are_quiet() && !options.json { None } else { plan.expected_time(spec) };
    let said = expected.and_then(|time| time.describe(spec.time_limit));
    said.iter().for_each(|line| notes.say(format_args!("{line}")));
    let known = plan.warnings.clone();
    warn(notes, &known);
    plan.check_memory(context.budget(), 1)?;

    check_same_data(context, &plan)?;
    let checkpoint = checkpoint_folder(options, &plan, context)?;
    let course = Course::new(notes.line().clone(), trace(options, &inputs)?);

    let start = Instant::now();
    let control = course.watch(plan.problem.settings.control.clone());
    notes.line().limit(spec.time_limit);
    let model = train(options, plan, control, checkpoint.as_ref())?;
    notes.line().limit(None);
    let seconds = start.elapsed().as_secs_f64();
    say_outcome(&model, seconds, &known, notes);
    let training = &model.about().training;
    if options.strict && !training.converged {
        let message = format!("training did not converge: {}; nothing was written", training.reason);
        return Err(CliError::new(ErrorKind::NotConverged, message));
    }
    notes.stage(format_args!("scoring and writing the model"));
    let scores = test.map(|(test, _)| evaluate::evaluate_by(&context.team, &model, &test)).transpose()?;
    scores.iter().for_each(|scores| warn(notes, &scores.warnings));
    output.write(&model.to_bytes()?)?;
    interrupt::model_is_written();
    notes.say(format_args!("wrote {}", options.output.display()));
    checkpoint.map_or(Ok(()), |folder| tidy_up(&folder, &model, notes))?;
    let took = Took { seconds, expected };
    show((options, &context.team), &model, scores.as_ref(), &took, out)?;
    interrupt::command_is_done();
    Ok(())
}

fn inputs(options: &FitOptions) -> InputFiles {
    let inputs = and_table(InputFiles::none(), "DATA", &options.data);
    let inputs = options.test.iter().fold(inputs, |inputs, path| and_table(inputs, "--test", path));
    and_settings(inputs, options.config.as_ref(), &options.spec.inducing_file)
}

fn and_checkpoints(inputs: InputFiles, options: &FitOptions) -> InputFiles {
    let folders = [("--checkpoint", &options.checkpoint), ("--resume", &options.resume)];
    let kept = folders.into_iter().filter_map(|(word, folder)| Some((word, folder.as_deref()?)));
    let kept = kept
        .flat_map(|(word, folder)| CheckpointFolder::files(folder).into_iter().map(move |path| (word, path)));
    kept.fold(inputs, |inputs, (word, path)| inputs.and(word, Some(&path)))
}

/// Trace file; resumed training appends.
fn trace(options: &FitOptions, inputs: &InputFiles) -> Result<Option<TraceFile>, CliError> {
    let existing = (options.resume.is_some(), options.force);
    let prepare = |path: &PathBuf| TraceFile::prepare("--trace", path, existing, inputs);
    options.trace.as_ref().map(prepare).transpose()
}

fn plan(options: &FitOptions, context: &Context, notes: &Notes<'_>) -> Result<(Plan, LeftOut), CliError> {
    notes.stage(format_args!("reading {}", options.data));
    let choosing = || notes.stage(format_args!("choosing a model and placing inducing points"));
    let stages = notes.line().stages();
    let (spec, choice) = (&options.spec, &options.choice);
    let with_stages = |plan: Plan| plan.with_stages(stages).read_by(choice);
    let input = options.stream.open(&options.data, &context.formats)?;
    if let Some(why) = options.stream.why_not_held(&input, choice, spec, context)? {
        let kept = options.checkpoint.as_ref().or(options.resume.as_ref());
        let folder = kept.map_or_else(std::env::temp_dir, |folder| fit::folder_near(folder));
        let table = Streamed::read_by(&context.team, (input, choice, &context.formats), spec, &folder, &why)?;
        let dropped = table.dropped().clone();
        choosing();
        return Ok((with_stages(Plan::streamed(table, spec, context)?), dropped));
    }
    let (frame, dropped) = fit::read_input(input, choice, spec, &context.formats)?;
    choosing();
    Ok((with_stages(Plan::new(&frame, spec, context)?), dropped))
}

fn train(
    options: &FitOptions,
    mut plan: Plan,
    control: Control,
    checkpoint: Option<&CheckpointFolder>,
) -> Result<Model, CliError> {
    let Some(folder) = checkpoint else {
        plan.problem.settings.control = control;
        return interrupt::without_checkpoint(|| fit::fit(plan, &options.spec, ORIGIN));
    };
    let trained = interrupt::while_training(folder.state(), |interrupt| {
        let control = control.with_interrupt(interrupt.clone());
        plan.problem.settings.control = folder.keep(control, options.checkpoint_every);
        fit::fit(plan, &options.spec, ORIGIN)
    });
    trained.map_err(|error| folder.how_to_go_on(error))
}

fn checkpoint_folder(
    options: &FitOptions,
    plan: &Plan,
    context: &Context,
) -> Result<Option<CheckpointFolder>, CliError> {
    match (&options.checkpoint, &options.resume) {
        (_, Some(folder)) => {
            CheckpointFolder::resume(folder, plan, &options.spec, context.budget()).map(Some)
        }
        (Some(folder), None) => CheckpointFolder::begin(folder, plan, &options.spec).map(Some),
        (None, None) => Ok(None),
    }
}

fn tidy_up(folder: &CheckpointFolder, model: &Model, notes: &mut Notes<'_>) -> Result<(), CliError> {
    // With several targets, the reason lists those of all targets.
    if !model.about().training.reason.contains(&StopReason::TimeLimit.to_string()) {
        return folder.remove();
    }
    notes.say(format_args!(
        "with more time, the same command goes on with --resume {}",
        folder.path().display()
    ));
    Ok(())
}

/// Complete test rows, whose faults end the command before training.
fn read_test(
    path: &str,
    options: &FitOptions,
    plan: &Plan,
    context: &Context,
) -> Result<(Frame, LeftOut), CliError> {
    let format = TableChoice { format: options.choice.format.clone(), ..TableChoice::default() };
    let mut read = ReadOptions { choice: format, ..ReadOptions::default() };
    let input = Stream::Never.open(path, &context.formats)?;
    if options.test_query.is_some() {
        read.choice.query.clone_from(&options.test_query);
    } else if context.formats.of(&input, &read)?.takes_queries() {
        read.choice.table.clone_from(&options.choice.table);
    }
    plan.inputs.extend(&mut read);
    let targets = plan.observed.targets();
    targets.iter().for_each(|of| of.target.extend(&mut read));
    plan.observed.roles.extend_for_predictions(&mut read);
    let rules = options.spec.missing_rules()?;
    let (frame, left_out) = fit::drop_incomplete(context.formats.read_input(input, &read)?, &rules)?;
    plan.inputs.encode(&frame)?;
    let targets: Vec<&Target> = targets.iter().map(|of| &of.target).collect();
    encode_targets(&targets, &frame, plan.observed.likelihood.support())?;
    RoleValues::of_predictions(&plan.observed.roles, &frame)?;
    Ok((frame, left_out))
}

fn say_outcome(model: &Model, seconds: f64, known: &[String], notes: &mut Notes<'_>) {
    let training = &model.about().training;
    let iterations = counted(training.iterations as usize, "iteration");
    let outcome = match (training.converged, training.iterations) {
        (true, _) => format!("converged after {iterations} and"),
        (false, 0) => "did not converge, as training ended before its first iteration, after".to_owned(),
        (false, _) => format!("did not converge after {iterations} and"),
    };
    notes.say(format_args!("{outcome} {seconds:.1} s: {}", training.reason));
    notes.say(format_args!("{}: {:.3} nats", training.objective_kind.words(), training.objective));
    model.about_temperature().iter().for_each(|line| notes.say(format_args!("probabilities: {line}")));
    let tried = training.search.iter().flat_map(TriedKernels::lines);
    let tried = tried.chain(training.starts.iter().flat_map(TriedStarts::lines));
    tried.for_each(|line| notes.say(format_args!("{line}")));
    let new = training.warnings.iter().filter(|warning| !known.contains(warning));
    warn(notes, &new.cloned().collect::<Vec<_>>());
}

fn show(
    (options, team): (&FitOptions, &Team),
    model: &Model,
    scores: Option<&Evaluation>,
    took: &Took,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    if options.json {
        return print_json(out, &with_traffic(summary(options, model, scores, took), team)?);
    }
    scores.map_or(Ok(()), |scores| out::print(out, evaluate::table(scores).as_bytes()))
}

fn summary(options: &FitOptions, model: &Model, scores: Option<&Evaluation>, took: &Took) -> Value {
    let (training, latents) = (&model.about().training, model.posterior().describe());
    let mut kernels: Vec<String> = latents.iter().map(|latent| latent.kernel.expression()).collect();
    let kernel = if kernels.len() == 1 { Value::String(kernels.remove(0)) } else { kernels.into() };
    let m = latents.iter().filter_map(|latent| latent.represented_by).map(|points| points.nrows()).max();
    json!({
        "objective": training.objective,
        "objective_kind": training.objective_kind,
        "method": training.method,
        "alpha": training.alpha,
        "kernel": kernel,
        "likelihood": model.posterior().likelihood().expression(),
        "n": training.rows,
        "m": m,
        "converged": training.converged,
        "reason": training.reason,
        "iterations": training.iterations,
        "seconds": took.seconds,
        "expected_seconds": took.expected.map(|time| time.seconds()),
        "expected_range": took.expected.map(|time| time.range()),
        "jitter": latents.iter().map(|latent| latent.jitter).fold(0.0, f64::max),
        "temperature": temperature(model),
        "search": one_or_each(training.search.iter().map(|kernels| json!(kernels)).collect()),
        "starts": one_or_each(training.starts.iter().map(starts).collect()),
        "warnings": training.warnings,
        "test": scores.map(Evaluation::to_json),
        "model": options.output.display().to_string(),
    })
}

fn temperature(model: &Model) -> Option<f64> {
    let posterior = model.posterior();
    (posterior.likelihood().support().classes() > 0).then(|| posterior.temperature())
}

struct Took {
    seconds: f64,
    expected: Option<ExpectedTime>,
}

fn check_same_data(context: &Context, plan: &Plan) -> Result<(), CliError> {
    if context.team.is_alone() {
        return Ok(());
    }
    in_step::check_same(&context.team, "data", &fit::check_sum(plan)?)
}

/// Null, one value, or a list.
fn one_or_each(mut all: Vec<Value>) -> Value {
    if all.len() > 1 { all.into() } else { all.pop().unwrap_or(Value::Null) }
}

fn starts(of: &TriedStarts) -> Value {
    let entry = |start: &TriedStart| {
        let mut entry = json!(start);
        entry["seconds"] = json!(start.seconds);
        entry
    };
    let mut told = json!({ "by": of.by, "tried": of.tried.iter().map(entry).collect::<Vec<_>>() });
    if let Some(target) = &of.target {
        told["target"] = target.clone().into();
    }
    told
}
