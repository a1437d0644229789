//! `gp suggest`: suggests the next points to observe.

mod batch;
mod best;
mod flags;
mod say;
mod search;
mod space;
mod table;

use super::{Besides, TableOptions, and_table, each_once, print_json, targets};
use crate::context::Context;
use crate::data::{Column, Frame, Values};
use crate::encode::Inputs;
use crate::error::CliError;
use crate::files::InputFiles;
use crate::left_out::counted;
use crate::model::Model;
use crate::notes::Notes;
use crate::out::{Destination, OutTable};
use batch::Batch;
use best::BestSoFar;
use clap::ValueEnum;
use gp_ep::design::{Criterion, Goal};
use say::{gains_nothing, say};
use search::PointSearch;
use serde_json::{Value, json};
use space::{InputValues, Space};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Maximum points, as all covariances are computed.
const MAX_POINTS: u16 = 1_000;

/// Options of `gp suggest`.
#[derive(Clone, Debug, clap::Args)]
pub struct SuggestOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Table of candidates (default: any values within the ranges of the inputs)
    #[arg(value_name = "CANDIDATES")]
    pub candidates: Option<String>,
    /// Number of points, chosen one at a time as if earlier ones had been observed
    #[arg(long, value_name = "K", default_value_t = 1, help_heading = CHOICE,
        value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_POINTS)))]
    pub count: u16,
    /// Target to choose points for, if the model has several (default: all together)
    #[arg(long, value_name = "COL", help_heading = CHOICE)]
    pub target: Option<String>,
    /// Value of a point; with several targets the sum of their values, each in units of the standardised target
    #[arg(long, value_enum, default_value_t = By::Information, help_heading = CHOICE)]
    pub by: By,
    /// Direction of `--by improvement`: lowest or highest target
    #[arg(long, value_enum, help_heading = CHOICE)]
    pub goal: Option<Extreme>,
    /// Best target so far, for `--by improvement` (default: the best predicted mean at the points stored in the
    /// model)
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true, help_heading = CHOICE)]
    pub best: Option<String>,
    /// Seed of the search
    #[arg(long, value_name = "SEED", default_value_t = 0, help_heading = CHOICE)]
    pub seed: u64,
    /// Range of a numeric or date input (default: that of the training data); may be repeated
    #[arg(long, value_name = "COL=LO..HI", help_heading = PLACES)]
    pub range: Vec<String>,
    /// Values that an input may have (default: those of the training data, or any within its range); may be repeated
    #[arg(long, value_name = "COL=A,B", help_heading = PLACES)]
    pub levels: Vec<String>,
    /// Fixed value of an input; may be repeated
    #[arg(long, value_name = "COL=VALUE", help_heading = PLACES)]
    pub at: Vec<String>,
    /// Column to copy from the table of candidates; may be repeated
    #[arg(long, value_name = "COL", requires = "candidates", help_heading = PLACES)]
    pub id: Vec<String>,
    /// Options for reading the table of candidates
    #[command(flatten, next_help_heading = PLACES)]
    pub table: TableOptions,
    /// Table to write, in the format of its extension: {writers} (default: the first, to the standard output)
    #[arg(long, short, value_name = "OUT", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
    /// Format of the table to write, as a file extension, such as jsonl
    #[arg(long, value_name = "NAME", help_heading = OUTPUT)]
    pub output_format: Option<String>,
    /// Replace an existing file
    #[arg(long, help_heading = OUTPUT)]
    pub force: bool,
    /// Print a summary with the points as one JSON object
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
}

const CHOICE: &str = "What to choose";
const PLACES: &str = "Where to look";
const OUTPUT: &str = "Output";

/// Criterion for the value of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum By {
    /// Largest variance of the latent function
    Variance,
    /// Most information about the latent functions, over the whole batch
    #[value(alias = "mutual_information", alias = "mi")]
    Information,
    /// Largest expected improvement over the best target so far
    #[value(alias = "expected_improvement", alias = "ei")]
    Improvement,
}

/// Direction of improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Extreme {
    /// Lowest target
    Min,
    /// Highest target
    Max,
}

struct Suggested {
    places: Vec<InputValues>,
    values: Vec<f64>,
    looked_at: usize,
    /// Numbers and contents of the chosen rows.
    rows: Option<(Vec<usize>, Frame)>,
}

/// Writes points: inputs, criterion, predictions.
///
/// # Errors
/// [`Usage`](crate::ErrorKind::Usage) for unknown ranges or incompatible flags; any other failure.
pub fn run(
    options: &SuggestOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let (start, format) = (Instant::now(), options.output_format.as_deref());
    let inputs = InputFiles::none().and("MODEL", Some(&options.model));
    let inputs = options.candidates.iter().fold(inputs, |inputs, path| and_table(inputs, "CANDIDATES", path));
    let force = (options.force, &inputs);
    let destination = Destination::prepare(options.output.as_deref(), force, format, &context.writers)?;
    if options.json && format.is_some() && destination.path().is_none() {
        return Err(CliError::usage(
            "--json prints one object where the table would go; name a file for the table with --output, or leave out one of --json and --output-format",
        ));
    }
    flags::check(options)?;
    if options.candidates.is_none() {
        options.table.check_unread("CANDIDATES")?;
    }
    let model = Model::load(&options.model, context)?;
    let model = wanted(model, options)?;
    let best = best::find(options, &model)?;
    let each = model.by_target()?;
    let batch = Batch::new(&each, criterion(options, best.as_ref()))?;
    let (suggested, ids) = match &options.candidates {
        Some(path) => of_table(options, path, batch, &model, context, notes)?,
        None => (of_space(options, batch, &model, notes)?, OutTable::default()),
    };
    let table = table::table(&model, &suggested, options.by, ids)?;
    say(options, &model, &suggested, best.as_ref(), notes);
    if destination.path().is_some() || !options.json {
        destination.write(&table, out)?;
    }
    if !options.json {
        return Ok(());
    }
    let mut told = summary(options, &model, &suggested, best.as_ref());
    told["points"] = table::objects(&table);
    told["seconds"] = json!(start.elapsed().as_secs_f64());
    print_json(out, &told)
}

fn wanted(model: Model, options: &SuggestOptions) -> Result<Model, CliError> {
    if let Some(name) = &options.target {
        targets::check_chosen(&model, Some(name))?;
        return Ok(model.by_target()?.into_iter().find(|one| one.target().name == *name).unwrap_or(model));
    }
    let names = || model.targets().iter().map(|target| target.name.clone()).collect::<Vec<_>>().join(", ");
    if options.by == By::Improvement && model.has_several_targets() {
        return Err(CliError::usage(format!(
            "--by improvement is for one target, and the model has {}; say which with --target",
            names()
        )));
    }
    if model.has_several_targets() && targets::owners(&model).is_empty() {
        return Err(CliError::usage(format!(
            "the targets {} share latent functions, so that what is learned of one is learned of the others too; say with --target for which of them points are",
            names()
        )));
    }
    Ok(model)
}

fn criterion(options: &SuggestOptions, best: Option<&BestSoFar>) -> Criterion {
    match (options.by, options.goal, best) {
        (By::Improvement, Some(goal), Some(best)) => {
            Criterion::Improvement { goal: goal.goal(), best: best.observation }
        }
        (By::Variance, _, _) => Criterion::Variance,
        _ => Criterion::Information,
    }
}

impl Extreme {
    fn goal(self) -> Goal {
        match self {
            Self::Min => Goal::Minimum,
            Self::Max => Goal::Maximum,
        }
    }
}

fn of_space(
    options: &SuggestOptions,
    mut batch: Batch<'_>,
    model: &Model,
    notes: &mut Notes<'_>,
) -> Result<Suggested, CliError> {
    let space = Space::new(model.inputs(), &flags::wishes(options, model.inputs())?)?;
    let mut search = PointSearch::new(&space, options.seed);
    let looked_at = search.candidates().len();
    let (mut places, mut values) = (Vec::new(), Vec::new());
    for point in 1..=options.count {
        notes.stage(format_args!("choosing point {point} of {}", options.count));
        let place = search.best(|places| batch.rough_values(points_of(model.inputs(), places).as_ref()))?;
        values.push(batch.choose(points_of(model.inputs(), std::slice::from_ref(&place)).as_ref())?);
        places.push(place);
        // Without a gain, all further points would be the same.
        if gains_nothing(options.by, model, &values) {
            break;
        }
    }
    Ok(Suggested { places, values, looked_at, rows: None })
}

/// Best rows of a table, each chosen at most once.
fn of_table(
    options: &SuggestOptions,
    path: &str,
    mut batch: Batch<'_>,
    model: &Model,
    context: &Context,
    notes: &mut Notes<'_>,
) -> Result<(Suggested, OutTable), CliError> {
    let frame = options.table.read(path, context, model, Besides::Identifiers(&options.id), notes)?;
    let encoded = model.inputs().encode(&frame)?;
    super::warn(notes, &encoded.warnings());
    let (count, points) = (usize::from(options.count), encoded.points);
    if count > frame.row_count() {
        let rows = counted(frame.row_count(), "row");
        return Err(CliError::usage(format!("--count {count} is more than the {rows} of {path}")));
    }
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    while rows.len() < count {
        notes.stage(format_args!("choosing point {} of {count}", rows.len() + 1));
        let found = batch.values(points.as_ref())?;
        let left = (0..found.len()).filter(|row| !rows.contains(row));
        let better = |best: usize, row: usize| if found[row] > found[best] { row } else { best };
        let Some(row) = left.reduce(better) else { break };
        values.push(batch.choose(points.subrows(row, 1))?);
        rows.push(row);
    }
    let part = frame.rows(&rows)?;
    let places = places_of(model.inputs(), &part)?;
    let mut ids = OutTable::default();
    // The output contains the inputs anyway.
    let inputs = model.inputs().names();
    let copied = each_once(&options.id).filter(|name| !inputs.contains(name));
    for column in part.require(&copied.collect::<Vec<_>>())? {
        ids.push_words(column.name(), (0..rows.len()).map(|row| column.written(row)).collect());
    }
    Ok((Suggested { places, values, looked_at: frame.row_count(), rows: Some((rows, part)) }, ids))
}

fn points_of(inputs: &Inputs, places: &[InputValues]) -> faer::Mat<f64> {
    inputs.points_at(places)
}

/// Inputs of rows; NaN for unknown words.
fn places_of(inputs: &Inputs, frame: &Frame) -> Result<Vec<InputValues>, CliError> {
    let columns = frame.require(&inputs.names())?;
    let value = |(feature, column): (&crate::encode::Feature, &&Column), row: usize| match column.values() {
        Values::Numbers(numbers) => numbers[row],
        Values::Levels { .. } => feature.level(&column.text(row)).unwrap_or(f64::NAN),
    };
    let place = |row: usize| inputs.features().iter().zip(&columns).map(|pair| value(pair, row)).collect();
    Ok((0..frame.row_count()).map(place).collect())
}

impl By {
    fn name(self) -> &'static str {
        match self {
            Self::Variance => "variance",
            Self::Information => "information",
            Self::Improvement => "expected improvement",
        }
    }

    fn column(self) -> &'static str {
        match self {
            Self::Variance => "latent_variance",
            Self::Information => "information",
            Self::Improvement => "improvement",
        }
    }
}

fn names_of(model: &Model) -> Value {
    match model.targets().as_slice() {
        [target] => target.name.clone().into(),
        targets => targets.iter().map(|target| target.name.clone()).collect::<Vec<_>>().into(),
    }
}

fn summary(
    options: &SuggestOptions,
    model: &Model,
    suggested: &Suggested,
    best: Option<&BestSoFar>,
) -> Value {
    let mut told = json!({
        "model": options.model.display().to_string(),
        "candidates": options.candidates,
        "by": options.by.column(),
        "count": suggested.places.len(),
        "looked_at": suggested.looked_at,
        "seed": options.seed,
        "target": names_of(model),
    });
    if let Some(output) = &options.output {
        told["output"] = output.display().to_string().into();
    }
    if options.by == By::Information {
        told["information"] = json!(suggested.values.iter().sum::<f64>());
    }
    if let (Some(best), Some(goal)) = (best, options.goal) {
        told["goal"] = if goal == Extreme::Min { "min" } else { "max" }.into();
        told["best"] = best.json.clone();
        told["best_is"] = best.how.clone().into();
    }
    if let Some((rows, _)) = &suggested.rows {
        told["rows"] = rows.iter().map(|row| row + 1).collect::<Vec<_>>().into();
    }
    told
}
