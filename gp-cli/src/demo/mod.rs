//! `gp demo`: data that comes with the program to a model, predictions and a picture.

mod data;
mod folder;
mod picture;
mod report;

use crate::error::CliError;
use crate::metrics::{Forecast, Scores};
use crate::model::{RegressionModel, TrainingData};
use crate::notes::Notes;
use crate::standardise::Standardiser;
use data::Split;
use folder::OutputFolder;
use gp_ep::Training;
use gp_likelihoods::Gaussian;
use std::io::Write;
use std::path::PathBuf;

/// The command, as model files name their origin.
const ORIGIN: &str = "gp demo";
/// Where training starts, in standardised units: a function that varies over the spread of the inputs …
const KERNEL: &str = "1 * rbf(lengthscale=1)";
/// … and noise that explains a tenth of the targets' variance.
const NOISE_VARIANCE: f64 = 0.1;

const MODEL: &str = "model.json";
const PREDICTIONS: &str = "predictions.csv";
const PICTURE: &str = "demo.png";

/// Options of `gp demo`.
#[derive(Clone, Debug, clap::Args)]
pub struct DemoOptions {
    /// Folder for the model, the predictions and the picture; it is made where it does not exist
    #[arg(long, value_name = "DIR", default_value = "gp-demo")]
    pub output: PathBuf,
    /// Seed that chooses which rows are held out for testing
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Write into the folder even if it holds files that this command did not make
    #[arg(long)]
    pub force: bool,
    /// Say nothing but the table of results and errors
    #[arg(long)]
    pub quiet: bool,
}

/// Trains, predicts, writes the three files and prints the table of results to `out`.
///
/// # Errors
/// Of the kind of whatever failed; every file is then as it was or whole.
pub fn run(options: &DemoOptions, out: &mut dyn Write, notes: &mut Notes<'_>) -> Result<(), CliError> {
    // Before any work is done that could not be written down.
    let folder = OutputFolder::prepare(&options.output, options.force)?;
    let split = Split::new(options.seed)?;
    let counts = (split.train.x[0].len(), split.test.x[0].len());
    notes.say(format_args!(
        "training on {} of {} rows, {} are held out",
        counts.0,
        counts.0 + counts.1,
        counts.1
    ));
    let (model, training) = train(&split, options.seed)?;
    describe(notes, &model, &training);
    let forecasts = model.forecast(&split.test.x)?;
    let picture = picture::png(&split, &model)?;
    let written = [
        folder.write(MODEL, model.to_text()?.as_bytes())?,
        folder.write(PREDICTIONS, report::predictions(&split.test, &forecasts)?.as_bytes())?,
        folder.write(PICTURE, &picture)?,
    ];
    written.iter().for_each(|path| notes.say(format_args!("wrote {}", path.display())));
    let scores = Scores::of(&split.test.y, &forecasts)?;
    report::print(out, &scores, &Scores::of(&split.test.y, &baseline(&split))?)
}

fn train(split: &Split, seed: u64) -> Result<(RegressionModel, Training), CliError> {
    let data = TrainingData {
        input_names: &["x"],
        inputs: &split.train.x,
        target_name: "y",
        targets: &split.train.y,
    };
    RegressionModel::train(&data, gp_kernels::parse(KERNEL)?, Gaussian::new(NOISE_VARIANCE)?, ORIGIN, seed)
}

/// What anybody would say without looking at x: the mean and the variance of the training targets.
fn baseline(split: &Split) -> Vec<Forecast> {
    let Standardiser { mean, scale } = Standardiser::of(&split.train.y);
    vec![Forecast { mean, variance: scale * scale }; split.test.y.len()]
}

fn describe(notes: &mut Notes<'_>, model: &RegressionModel, training: &Training) {
    let outcome = if training.converged { "converged" } else { "did not converge" };
    notes.say(format_args!("{outcome} after {} iterations: {}", training.iterations, training.reason));
    notes.say(format_args!("log marginal likelihood: {:.3} nats", training.log_marginal_likelihood));
    let posterior = model.posterior();
    for (name, value) in report::parameters(posterior) {
        notes.say(format_args!("{name} (standardised): {value:.4}"));
    }
    if posterior.jitter().added > 0.0 {
        notes.say(format_args!("added to the covariance matrix: {}", posterior.jitter()));
    }
}
