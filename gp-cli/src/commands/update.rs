//! `gp update`: more observations for a model, its parameters as they are.

use super::{TableOptions, warn};
use crate::context::Context;
use crate::error::CliError;
use crate::files::OutputFile;
use crate::method::{Given, Later, Updated};
use crate::model::{About, Model};
use crate::notes::Notes;
use std::path::PathBuf;

/// Options of `gp update`.
#[derive(Clone, Debug, clap::Args)]
pub struct UpdateOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Table with more observations; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Model file to write
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// How the table is read
    #[command(flatten)]
    pub table: TableOptions,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
}

/// Writes the model with more observations.
///
/// # Errors
/// Of kind [`Usage`](crate::ErrorKind::Usage) for a model whose method does not keep what an update needs; otherwise of the
/// kind of whatever failed.
pub fn run(options: &UpdateOptions, context: &Context, notes: &mut Notes<'_>) -> Result<(), CliError> {
    let output = OutputFile::prepare(&options.output, options.force)?;
    let model = Model::load(&options.model, context)?;
    let method = context.methods.find(&model.about().training.method)?;
    let frame = options.table.read(&options.data, context, &model, &[], notes)?;
    frame.require(&[&model.target().name])?;
    let encoded = model.inputs().encode(&frame)?;
    warn(notes, &encoded.warnings());
    let observations = model.observations(&frame)?.unwrap_or_default();
    let given = Given::of_config(&model.about().config, method.settings());
    let later = Later {
        before: model.posterior(),
        points: encoded.points.as_ref(),
        targets: &observations,
        given: &given,
    };
    let updated = method.update(later)?;
    warn(notes, &updated.warnings);
    let about = about(&model, &updated, observations.len());
    // The linear model has not seen the new rows; beside one that has, it would look worse than it is.
    output.write(&Model::new(about, updated.posterior, None).to_bytes()?)?;
    let (rows, how) = (observations.len(), updated.how);
    notes.say(format_args!("wrote {} with {rows} more rows, {how}", output.path().display()));
    Ok(())
}

/// What the file tells about the model with so many more rows.
fn about(model: &Model, updated: &Updated, rows: usize) -> About {
    let mut about = model.about().clone();
    let training = &mut about.training;
    training.rows += rows;
    // Densities of numbers in units of the scale.
    training.objective += updated.gain - rows as f64 * model.target().scale().scale.ln();
    training.updates.push(format!("{rows} more rows, {}", updated.how));
    training.warnings.extend(updated.warnings.iter().cloned());
    about
}
