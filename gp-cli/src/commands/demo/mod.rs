//! `gp demo`: fits, scores, predicts and plots bundled data.

mod data;
mod folder;

use super::plot;
use crate::context::Context;
use crate::error::CliError;
use crate::evaluate::{evaluate, table};
use crate::fit::{self, FitSpec, Plan};
use crate::left_out::counted;
use crate::lengths::{readable, readable_likelihood};
use crate::model::Model;
use crate::notes::Notes;
use crate::out;
use crate::picture::{Layer, OTHER, Picture};
use crate::predict::{Wanted, predictions};
use data::Split;
use folder::{MODEL, ORIGIN, OutputFolder};
use std::io::Write;
use std::path::{Path, PathBuf};

const PREDICTIONS: &str = "predictions.csv";
const PICTURE: &str = "demo.png";

/// Options of `gp demo`.
#[derive(Clone, Debug, clap::Args)]
pub struct DemoOptions {
    /// Folder for the model, the predictions and the picture; created if missing
    #[arg(long, short, value_name = "DIR", default_value = "gp-demo")]
    pub output: PathBuf,
    /// Seed that chooses which rows are held out for testing
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Write into the folder even if it holds files that this command did not make
    #[arg(long)]
    pub force: bool,
}

/// Writes model, predictions and plot; prints scores.
///
/// # Errors
/// Any failure; each file is then unchanged or complete.
pub fn run(
    options: &DemoOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    // Fails before training if the folder is not writable.
    let folder = OutputFolder::prepare(&options.output, options.force)?;
    let split = Split::new(options.seed, &context.formats)?;
    let (train, test) = (split.train.row_count(), split.test.row_count());
    notes.say(format_args!("training on {train} of {} rows, {test} are held out", train + test));
    let seed = options.seed.to_string();
    let spec = FitSpec::from_flags(["--target", "y", "--seed", &seed, "--kernel", "1 * rbf"], context)?;
    notes.stage(format_args!("training"));
    let model = fit::fit(Plan::new(&split.train, &spec, context)?, &spec, ORIGIN)?;
    describe(notes, &model);
    let predicted = predictions(&model, &split.test, &Wanted::default(), &["x", "y"])?.table;
    let written = [
        folder.write(MODEL, &model.to_bytes()?)?,
        folder.write(PREDICTIONS, &context.writers.of(Path::new(PREDICTIONS))?.bytes(&predicted)?)?,
        folder.write(PICTURE, &picture(&model, &split)?.png()?)?,
    ];
    written.iter().for_each(|path| notes.say(format_args!("wrote {}", path.display())));
    out::print(out, table(&evaluate(&model, &split.test)?).as_bytes())
}

fn describe(notes: &mut Notes<'_>, model: &Model) {
    let training = &model.about().training;
    let outcome = if training.converged { "converged" } else { "did not converge" };
    notes.say(format_args!(
        "{outcome} after {}: {}",
        counted(training.iterations as usize, "iteration"),
        training.reason
    ));
    notes.say(format_args!("{}: {:.3} nats", training.objective_kind.words(), training.objective));
    let posterior = model.posterior();
    for latent in posterior.describe() {
        notes.say(format_args!("kernel: {}", readable(latent.kernel, model.inputs())));
    }
    notes.say(format_args!("likelihood: {}", readable_likelihood(posterior.likelihood())));
}

fn picture(model: &Model, split: &Split) -> Result<Picture, CliError> {
    let mut picture = plot::picture(model, &split.train)?;
    "Exact Gaussian-process regression".clone_into(&mut picture.title);
    let numbers =
        |name: &str| split.test.column(name).and_then(|column| column.numbers()).unwrap_or_default().to_vec();
    let label = "held-out rows".to_owned();
    picture.layers.push(Layer::Points { x: numbers("x"), y: numbers("y"), colour: OTHER, label });
    Ok(picture)
}
