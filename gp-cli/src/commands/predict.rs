//! `gp predict`: a model and a table to a table of predictions.

use super::TableOptions;
use crate::context::Context;
use crate::encode::Unseen;
use crate::error::CliError;
use crate::model::Model;
use crate::notes::Notes;
use crate::out::{Destination, Gaps, Pieces};
use crate::predict::{Wanted, predictions};
use std::io::Write;
use std::path::PathBuf;

/// Options of `gp predict`.
#[derive(Clone, Debug, clap::Args)]
pub struct PredictOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Table to predict; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Table to write, in the format of its name: {writers}; the first of them to the standard output unless given
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Probability with which an observation lies between `lower` and `upper`
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    pub interval: f64,
    /// Mean and variance of the latent functions too
    #[arg(long)]
    pub latent: bool,
    /// Joint covariance of the latent function too, a column for each row
    #[arg(long)]
    pub joint: bool,
    /// Columns to copy from the table; may be repeated
    #[arg(long, value_name = "COL")]
    pub id: Vec<String>,
    /// Probabilities of all classes too
    #[arg(long)]
    pub proba: bool,
    /// How the table is read
    #[command(flatten)]
    pub table: TableOptions,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
}

/// Writes the table of predictions.
///
/// # Errors
/// Of the kind of whatever failed; the output is then as it was.
pub fn run(
    options: &PredictOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let destination = Destination::prepare(options.output.as_deref(), options.force, &context.writers)?;
    let model = Model::load(&options.model, context)?;
    let wanted = Wanted {
        interval: options.interval,
        latent: options.latent,
        joint: options.joint,
        probabilities: options.proba,
    };
    let ids: Vec<&str> = options.id.iter().map(String::as_str).collect();
    if options.joint || !destination.takes_pieces() {
        let frame = options.table.read(&options.data, context, &model, &options.id, notes)?;
        let (table, unseen) = predictions(&model, &frame, wanted, &ids)?;
        unseen.iter().for_each(|unseen| notes.say(format_args!("warning: {unseen}")));
        let mut gaps = Gaps::default();
        gaps.look(&table);
        gaps.warnings().for_each(|gap| notes.say(format_args!("warning: {gap}")));
        return destination.write(&table, out);
    }
    let (mut written, mut seen) = (Pieces::begin(&destination)?, Vec::<Unseen>::new());
    let mut gaps = Gaps::default();
    options.table.open(&options.data, &model, &options.id)?.for_each(&context.formats, notes, |rows| {
        let (table, unseen) = predictions(&model, rows, wanted, &ids)?;
        let news = unseen.into_iter().filter(|new| seen.iter().all(|known| known.column != new.column));
        let news: Vec<Unseen> = news.collect();
        seen.extend(news);
        gaps.look(&table);
        written.add(&table)
    })?;
    let features = model.inputs().names();
    seen.sort_by_key(|unseen| features.iter().position(|name| *name == unseen.column));
    seen.iter().for_each(|unseen| notes.say(format_args!("warning: {unseen}")));
    gaps.warnings().for_each(|gap| notes.say(format_args!("warning: {gap}")));
    written.finish(out)
}
