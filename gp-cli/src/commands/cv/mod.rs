//! `gp cv`: cross-validation.

mod divide;
mod division;
mod groups;
mod pooled;
mod rolling;
mod splits;
mod summary;

pub use pooled::PooledCoverage;
pub use summary::Summary;

use super::traffic::with_traffic;
use super::{and_settings, and_table, left_of, print_json, warn};
use crate::context::Context;
use crate::data::{Frame, ReadOptions, TableChoice};
use crate::error::{CliError, ErrorKind};
use crate::evaluate::{Evaluation, evaluate_by};
use crate::files::InputFiles;
use crate::fit::TaskChoice::{Binary, Multiclass, Ordinal};
use crate::fit::{self, FitSpec, FoldFolders, Plan, parse_time};
use crate::in_step::check_inputs;
use crate::interrupt;
use crate::line::Line;
use crate::model::{Model, TriedStarts};
use crate::notes::Notes;
use crate::out;
use divide::divide;
use division::Part;
use rayon::prelude::*;
use rolling::parse_stretch;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use summary::{lines, summarise, table};

const FOLDS: usize = 5;
const ORIGIN: &str = "gp cv";

/// Options of `gp cv`.
#[derive(Clone, Debug, clap::Args)]
pub struct CvOptions {
    /// Table to fit and score; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Model to fit
    #[command(flatten)]
    pub spec: FitSpec,
    /// Number of folds, drawn at random and stratified by label; as many folds as rows is leave-one-out (default: 5,
    /// or the number of groups if smaller)
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(2..))]
    pub folds: Option<u16>,
    /// Table with columns split and test_row (from 0): the rows to score in each split
    #[arg(long, value_name = "CSV", conflicts_with = "folds")]
    pub splits: Option<PathBuf>,
    /// Column of groups, such as patients: all rows of a group are in the same fold. The column is not an input
    #[arg(long, value_name = "COL", conflicts_with_all = ["splits", "rolling"])]
    pub groups: Option<String>,
    /// Column of numbers or dates for rolling validation: each fold is scored by a model of earlier rows
    #[arg(long, value_name = "COL", conflicts_with = "splits")]
    pub rolling: Option<String>,
    /// With --rolling: gap between training rows and fold, in units of the column (dates: days)
    #[arg(long, value_name = "LENGTH", requires = "rolling", value_parser = parse_stretch)]
    pub gap: Option<f64>,
    /// With --rolling: length of the training window, in the same units (default: all earlier rows)
    #[arg(long, value_name = "LENGTH", requires = "rolling", value_parser = parse_stretch)]
    pub window: Option<f64>,
    /// Table to read
    #[command(flatten)]
    pub choice: TableChoice,
    /// Folder for the checkpoints of all folds, to --resume from after Ctrl-C or a crash
    #[arg(long, value_name = "DIR", conflicts_with = "resume", group = "kept")]
    pub checkpoint: Option<PathBuf>,
    /// Checkpoint folder to resume from, with the same data and settings; scores are the same as without an
    /// interruption
    #[arg(long, value_name = "DIR", group = "kept")]
    pub resume: Option<PathBuf>,
    /// Minimum time between checkpoints of a fold, such as 10s; 0s for every iteration
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "10s", requires = "kept")]
    pub checkpoint_every: Duration,
    /// Configuration file; flags take precedence
    #[arg(long, value_name = "TOML")]
    pub config: Option<PathBuf>,
    /// Print scores as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Prints scores per fold, means, standard errors.
///
/// # Errors
/// Failure of the first failed fold.
pub fn run(
    options: &CvOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let inputs = and_table(InputFiles::none(), "DATA", &options.data);
    check_inputs(&context.team, &and_settings(inputs, options.config.as_ref(), &options.spec.inducing_file))?;
    let (read, is_input) = read_options(options)?;
    notes.stage(format_args!("reading {}", options.data));
    let frame = context.formats.open(&options.data, &read)?;
    let rows = frame.row_count();
    let (frame, left_out) = left_of(frame, &options.spec.missing_rules()?, notes)?;
    let division = divide(options, context, &frame, (rows, &left_out))?;
    let frame = match by(options) {
        Some((_, name)) if !is_input => frame.without(name)?,
        _ => frame,
    };
    let (spec, known) = fit::settled(&frame, &options.spec, context)?;
    if matches!(spec.task, Binary | Multiclass | Ordinal) {
        division.check_labels(&frame, spec.target()?)?;
    }
    known.iter().chain(&division.words).for_each(|line| notes.say(format_args!("{line}")));
    let parts = &division.parts;
    let folders = match (&options.checkpoint, &options.resume) {
        (_, Some(folder)) => Some(FoldFolders::resume(folder, options.checkpoint_every)?),
        (Some(folder), None) => Some(FoldFolders::begin(folder, options.checkpoint_every)?),
        (None, None) => None,
    };
    notes.stage(format_args!("fitting without each of {} parts in turn", parts.len()));
    let all = FoldsToScore { frame: &frame, spec: &spec, context, parts, line: notes.line() };
    let scored = match &folders {
        Some(folders) => interrupt::while_training(folders.state(), |interrupt| {
            all.score(|part, plan| folders.fit(part, plan, &spec, ORIGIN, interrupt, context))
        })
        .map_err(|error| folders.how_to_go_on(error))?,
        None => interrupt::without_checkpoint(|| all.score(|_, plan| fit::fit(plan, &spec, ORIGIN)))?,
    };
    folders.map_or(Ok(()), |folders| folders.remove(parts.len()))?;
    let covered = pooled::coverage(&scored);
    let warnings = pooled::warnings(&scored, &covered);
    let chosen: Vec<&[String]> = scored.iter().map(|fold| fold.chosen.as_slice()).collect();
    chosen.iter().enumerate().filter(|(_, of)| !of.is_empty()).for_each(|(fold, of)| {
        notes.say(format_args!("fold {fold}: {}", of.join(", ")));
    });
    warn(notes, &warnings);
    let scored: Vec<&Evaluation> = scored.iter().map(|fold| &fold.evaluation).collect();
    let predictors = scored.first().map_or(&[] as &[_], |first| &first.predictors);
    // Only the baselines need a description.
    predictors.iter().skip(1).for_each(|(name, words)| notes.say(format_args!("{name}: {words}")));
    let summaries = summarise(&scored);
    if options.json {
        let folds: Vec<_> = scored.iter().map(|fold| fold.to_json()).collect();
        let told = serde_json::json!({
            "folds": folds,
            "summary": summaries,
            "coverage": covered,
            "warnings": warnings,
            "division": division.json,
            "chosen": chosen,
        });
        return print_json(out, &with_traffic(told, &context.team)?);
    }
    let unit = |score: &str| scored.first().and_then(|first| first.unit_of_score(score));
    notes.say(format_args!("{}", lines(&summaries, scored.len(), &unit).trim_end()));
    pooled::lines(&covered).iter().for_each(|line| notes.say(format_args!("{line}")));
    out::print(out, &context.writers.first().bytes(&table(&scored, &summaries))?)
}

fn by(options: &CvOptions) -> Option<(&'static str, &str)> {
    let groups = options.groups.as_deref().map(|name| ("--groups", name));
    groups.or(options.rolling.as_deref().map(|name| ("--rolling", name)))
}

/// Reading options; `true` if the `--rolling` column is input.
fn read_options(options: &CvOptions) -> Result<(ReadOptions, bool), CliError> {
    let mut read = options.spec.read_options(&options.choice)?;
    let Some((flag, name)) = by(options) else { return Ok((read, false)) };
    if options.spec.targets()?.iter().any(|target| target == name) {
        return Err(CliError::usage(format!("column {name} is the target; {flag} takes another")));
    }
    let is_group = options.groups.is_some();
    if is_group && options.spec.features.iter().any(|feature| feature == name) {
        let message = format!("column {name} names groups; it cannot be a feature too");
        return Err(CliError::usage(message));
    }
    let is_input = !is_group && read.wants(name);
    read.also.insert(name.to_owned());
    if is_group {
        read.verbatim.insert(name.to_owned());
    }
    Ok((read, is_input))
}

#[derive(Clone, Debug)]
struct ScoredFold {
    evaluation: Evaluation,
    chosen: Vec<String>,
    warnings: Vec<String>,
}

/// Searched kernel and best start.
fn chosen(model: &Model) -> Vec<String> {
    let training = &model.about().training;
    let of =
        |target: &Option<String>| target.as_ref().map_or_else(String::new, |name| format!(" for {name}"));
    let kernels = training.search.iter().filter_map(|tried| Some((&tried.target, tried.found()?)));
    let kernels = kernels.map(|(target, found)| format!("kernel {}{}", found.kernel, of(target)));
    let kept = |starts: &TriedStarts| {
        let start = starts.tried.iter().find(|start| start.kept)?;
        Some(format!("{}{}", start.name(), of(&starts.target)))
    };
    kernels.chain(training.starts.iter().filter_map(kept)).collect()
}

struct FoldsToScore<'a> {
    frame: &'a Frame,
    spec: &'a FitSpec,
    context: &'a Context,
    parts: &'a [Part],
    line: &'a Line,
}

impl FoldsToScore<'_> {
    /// Fits and scores folds in parallel, divided among processes.
    fn score(
        &self,
        fit: impl Fn(usize, Plan) -> Result<Model, CliError> + Sync,
    ) -> Result<Vec<ScoredFold>, CliError> {
        let (done, team) = (AtomicUsize::new(0), &self.context.team);
        let own: Vec<usize> = (team.rank()..self.parts.len()).step_by(team.count()).collect();
        let fitted = |&place: &usize| {
            let model = self.fit_part(place, &fit).map_err(|cause| self.without(place, cause));
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            self.line.detail(|| format!("{done} of {} done", own.len()));
            model
        };
        if team.is_alone() {
            let scored = |place: &usize| {
                let model = fitted(place)?;
                self.score_part(*place, &model)
            };
            return own.par_iter().map(scored).collect();
        }
        let models = own.par_iter().map(|place| fitted(place)?.to_bytes()).collect::<Result<Vec<_>, _>>()?;
        let mut models = models.into_iter();
        let scored = |place: usize| {
            let own = (place % team.count() == team.rank()).then(|| models.next()).flatten();
            let bytes = team.bytes_of(place % team.count(), || Ok::<_, CliError>(own))?;
            self.score_part(
                place,
                &Model::from_bytes(&bytes.unwrap_or_default(), "the model of a part", self.context)?,
            )
        };
        (0..self.parts.len()).map(scored).collect()
    }

    fn fit_part(
        &self,
        place: usize,
        fit: &impl Fn(usize, Plan) -> Result<Model, CliError>,
    ) -> Result<Model, CliError> {
        let training = self.frame.rows(&self.parts[place].training)?;
        let plan = Plan::new(&training, self.spec, &self.context.alone())?;
        plan.check_memory(self.context.budget(), self.parts.len().min(rayon::current_num_threads()))?;
        fit(place, plan)
    }

    fn score_part(&self, place: usize, model: &Model) -> Result<ScoredFold, CliError> {
        let scores = self
            .frame
            .rows(&self.parts[place].test)
            .and_then(|rows| evaluate_by(&self.context.team, model, &rows));
        let evaluation = scores.map_err(|cause| self.without(place, cause))?;
        let training = &model.about().training;
        let unfinished =
            (!training.converged).then(|| format!("training did not converge: {}", training.reason));
        let warnings = unfinished.into_iter().chain(training.warnings.clone()).collect();
        Ok(ScoredFold { evaluation, chosen: chosen(model), warnings })
    }

    fn without(&self, place: usize, cause: CliError) -> CliError {
        if cause.kind() == ErrorKind::Usage {
            return cause;
        }
        let message = format!("without part {} of {}", place + 1, self.parts.len());
        CliError::caused(cause.kind(), message, cause)
    }
}
