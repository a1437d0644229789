//! `gp predict`: predicts the rows of a table.

use super::traffic::with_traffic;
use super::{Besides, TableOptions, and_table, each_once, print_json, warn};
use crate::context::Context;
use crate::data::Frame;
use crate::encode::Unseen;
use crate::error::{CliError, ErrorKind};
use crate::files::InputFiles;
use crate::in_step::check_inputs;
use crate::left_out::{LeftOut, counted};
use crate::memory::Budget;
use crate::missing::none_left;
use crate::model::{Model, without_temperature};
use crate::notes::Notes;
use crate::out::{Destination, Gaps, TableWriter};
use crate::predict::{FarVariances, Predictions, Wanted, predictions_by};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of `gp predict`.
#[derive(Clone, Debug, clap::Args)]
pub struct PredictOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Table to predict; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Table to write, in the format of its extension: {writers} (default: the first, to the standard output)
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Format of the table to write, as a file extension, such as jsonl
    #[arg(long, value_name = "NAME")]
    pub output_format: Option<String>,
    /// Probability of the central interval from `lower` to `upper` (default: 0.95); several, separated by commas, give
    /// columns `lower(P)` and `upper(P)`. Only for numbers; for classes see --proba
    #[arg(long, value_name = "P", value_delimiter = ',')]
    pub interval: Vec<f64>,
    /// Probabilities of quantiles to write, such as 0.1,0.5,0.9, in columns `q0.1` and so on
    #[arg(long, value_name = "P", value_delimiter = ',')]
    pub quantiles: Vec<f64>,
    /// Add means and variances of the latent functions
    #[arg(long)]
    pub latent: bool,
    /// Add the contribution of each kernel term to the latent functions, in columns `part(TERM)` and
    /// `part_variance(TERM)`
    #[arg(long)]
    pub parts: bool,
    /// Add the joint covariance of the latent function, one column per row
    #[arg(long)]
    pub joint: bool,
    /// Number of samples of the latent function, each drawn jointly at all rows, in columns `latent_sample(1)` and so
    /// on
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub samples: usize,
    /// Seed of the samples
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "samples")]
    pub seed: u64,
    /// Column to copy from the table, such as an identifier; may be repeated
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    /// Add the probabilities of all classes, in columns `p(LABEL)`
    #[arg(long)]
    pub proba: bool,
    /// Options for reading the table
    #[command(flatten)]
    pub table: TableOptions,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Print a summary as one JSON object; needs --output for the predictions
    #[arg(long)]
    pub json: bool,
}

/// Writes predictions in row order.
///
/// # Errors
/// Any failure; the output stays unchanged.
pub fn run(
    options: &PredictOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let (start, format) = (Instant::now(), options.output_format.as_deref());
    let inputs = InputFiles::none().and("MODEL", Some(&options.model));
    let inputs = and_table(inputs, "DATA", &options.data);
    check_inputs(&context.team, &inputs)?;
    let force = (options.force, &inputs);
    let destination = Destination::prepare(options.output.as_deref(), force, format, &context.writers)?;
    let path = destination.path();
    if options.json && path.is_none() {
        return Err(CliError::usage(
            "--json prints a summary where the predictions would go; name a file for them with --output, or have them as JSON lines with --output-format jsonl instead",
        ));
    }
    let model = Model::load(&options.model, context)?;
    check_interval(&model, &options.interval)?;
    let (wanted, mut seen) = (wanted(options), TableSummary::default());
    let told = without_temperature(&model, "samples are of the model's own latent functions");
    let is_sampled = options.samples > 0 && model.posterior().likelihood().latents() == 1;
    told.iter().filter(|_| is_sampled).for_each(|line| notes.say(format_args!("{line}")));
    let ids: Vec<&str> = each_once(&options.id).collect();
    let besides = Besides::Identifiers(&options.id);
    notes.stage(format_args!("predicting {}", options.data));
    let written = if options.joint || options.samples > 0 || !destination.takes_pieces() {
        let frame = context.formats.open(&options.data, &options.table.of(&model, besides))?;
        check_memory(options, frame.row_count(), context.budget())?;
        let predicted = predictions_by(&context.team, (&model, &frame), &wanted, &ids)?;
        seen.add(&model, &frame, &predicted);
        Written::Whole(predicted, destination)
    } else {
        let mut written = TableWriter::begin(destination);
        let formats = &context.formats;
        options.table.open(&options.data, formats, &model, besides)?.for_each(formats, |rows| {
            let predicted = predictions_by(&context.team, (&model, rows), &wanted, &ids)?;
            seen.add(&model, rows, &predicted);
            notes.line().detail(|| counted(seen.left_out.rows(), "row"));
            written.add(&predicted.table)
        })?;
        Written::Pieces(written)
    };
    seen.say(&model, &options.data, notes)?;
    match written {
        Written::Whole(predicted, destination) => destination.write(&predicted.table, out)?,
        Written::Pieces(written) => written.finish(out)?,
    }
    match path {
        Some(path) if options.json => {
            let seconds = start.elapsed().as_secs_f64();
            let told = seen.summary(options, &path, &seen.warnings(&model), seconds);
            print_json(out, &with_traffic(told, &context.team)?)
        }
        _ => Ok(()),
    }
}

/// Checks memory of joint predictions: covariance, factor, samples, text.
fn check_memory(options: &PredictOptions, rows: usize, budget: Budget) -> Result<(), CliError> {
    let (rows, samples) = (rows as f64, options.samples as f64);
    let is_joint = options.joint || options.samples > 0;
    let joint = if is_joint { 32.0 * rows * rows } else { 0.0 };
    let what = match options.samples {
        0 => format!("a joint covariance of {rows} rows"),
        count => format!("--samples {count} for {rows} rows"),
    };
    let advice = match options.samples {
        0 => "predict fewer rows at a time",
        _ => "predict fewer rows at a time, or draw fewer samples",
    };
    let checked = budget.check(joint + 48.0 * rows * samples, &what, advice);
    checked.map_err(|over| over.of_kind(ErrorKind::Numerical))
}

enum Written {
    Whole(Predictions, Destination),
    Pieces(TableWriter),
}

fn check_interval(model: &Model, asked: &[f64]) -> Result<(), CliError> {
    match model.target().labels() {
        Some(_) if !asked.is_empty() => Err(CliError::usage(format!(
            "--interval is for numbers, and {} is a class; its probabilities: --proba",
            model.target().name
        ))),
        _ => Ok(()),
    }
}

fn wanted(options: &PredictOptions) -> Wanted {
    let default = Wanted::default();
    Wanted {
        intervals: if options.interval.is_empty() { default.intervals } else { options.interval.clone() },
        quantiles: options.quantiles.clone(),
        latent: options.latent,
        parts: options.parts,
        joint: options.joint,
        samples: options.samples,
        seed: options.seed,
        probabilities: options.proba,
        missing: options.table.missing,
    }
}

#[derive(Default)]
struct TableSummary {
    columns: Vec<String>,
    /// Optional columns missing from the table.
    lacking: Option<String>,
    unseen: Vec<Unseen>,
    gaps: Gaps,
    far: FarVariances,
    left_out: LeftOut,
}

impl TableSummary {
    fn add(&mut self, model: &Model, rows: &Frame, predicted: &Predictions) {
        if self.columns.is_empty() {
            self.lacking = model.left_out_of(rows);
            self.columns = predicted.table.columns().iter().map(|(name, _)| name.clone()).collect();
        }
        let is_new = |new: &&Unseen| self.unseen.iter().all(|known| known.column != new.column);
        let news: Vec<Unseen> = predicted.unseen.iter().filter(is_new).cloned().collect();
        self.unseen.extend(news);
        self.gaps.add(&predicted.table, |column, row| predicted.is_left_empty(column, row));
        self.far.add(model, &predicted.table);
        self.left_out.add(rows, &predicted.not_predicted);
    }

    fn warnings(&self, model: &Model) -> Vec<String> {
        let features = model.inputs().names();
        let mut unseen = self.unseen.clone();
        unseen.sort_by_key(|unseen| features.iter().position(|name| *name == unseen.column));
        let unseen =
            unseen.iter().map(Unseen::to_string).chain(self.gaps.warnings()).chain(self.far.warnings());
        unseen.chain(self.lacking.clone()).collect()
    }

    fn say(&self, model: &Model, data: &str, notes: &mut Notes<'_>) -> Result<(), CliError> {
        let (count, rows) = (self.left_out.count(), self.left_out.rows());
        if count == rows {
            return Err(none_left(data, rows));
        }
        if count > 0 {
            let (rows, places) = (counted(rows, "row"), self.left_out.places());
            notes.say(format_args!(
                "{count} of {rows} not predicted, because the value of an input is missing; cells are empty there: {places}"
            ));
        }
        warn(notes, &self.warnings(model));
        Ok(())
    }

    fn summary(&self, options: &PredictOptions, output: &Path, warnings: &[String], seconds: f64) -> Value {
        let (rows, left_out) = (self.left_out.rows(), self.left_out.count());
        json!({
            "model": options.model.display().to_string(),
            "data": options.data,
            "output": output.display().to_string(),
            "rows": rows,
            "predicted": rows - left_out,
            "left_out": left_out,
            "columns": self.columns,
            "warnings": warnings,
            "seconds": seconds,
        })
    }
}
