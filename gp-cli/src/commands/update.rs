//! `gp update`: new observations at fixed parameters.

use super::{Besides, TableOptions, and_table, print_json, warn};
use crate::context::Context;
use crate::error::CliError;
use crate::files::{InputFiles, OutputFile};
use crate::model::Model;
use crate::notes::Notes;
use crate::update::{UpdatedModel, more_rows, take_in};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

const NO_BASELINE: &str = "the updated model has no linear baseline, which would not know the new rows; fit all rows with gp fit to get one";

/// Options of `gp update`.
#[derive(Clone, Debug, clap::Args)]
pub struct UpdateOptions {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// Table with the new observations; - is the standard input
    #[arg(value_name = "DATA")]
    pub data: String,
    /// Model file to write
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
    /// Options for reading the table
    #[command(flatten)]
    pub table: TableOptions,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
    /// Print a summary as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Writes the updated model.
///
/// # Errors
/// [`Usage`](crate::ErrorKind::Usage) for an unsuitable model; any other failure.
pub fn run(
    options: &UpdateOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let start = Instant::now();
    // The output may replace the model file.
    let inputs = and_table(InputFiles::none(), "DATA", &options.data);
    let output = OutputFile::prepare("--output", &options.output, options.force, &inputs)?;
    let model = Model::load(&options.model, context)?;
    let roles = &model.about().roles;
    let more: Vec<String> = roles.iter().map(|(_, name)| name.to_owned()).collect();
    let (frame, left_out) =
        options.table.read_counted(&options.data, context, &model, Besides::Roles(&more), notes)?;
    let rows = frame.row_count();
    notes.stage(format_args!("taking in {}", more_rows(rows)));
    let UpdatedModel { model: updated_model, how, warnings } = take_in(&model, &frame, context)?;
    warn(notes, &warnings);
    if model.baseline().is_some() {
        notes.say(format_args!("{NO_BASELINE}"));
    }
    output.write(&updated_model.to_bytes()?)?;
    let wrote = format!("wrote {} with {}, {how}", options.output.display(), more_rows(rows));
    if !options.json {
        notes.end(format_args!("{wrote}"));
        return Ok(());
    }
    notes.say(format_args!("{wrote}"));
    let told = json!({
        "rows": rows,
        "left_out": left_out.len(),
        "how": how,
        "warnings": warnings,
        "seconds": start.elapsed().as_secs_f64(),
    });
    print_json(out, &summary(told, options, &model, &updated_model))
}

fn summary(mut told: Value, options: &UpdateOptions, before: &Model, after: &Model) -> Value {
    let training = &after.about().training;
    told["n"] = training.rows.into();
    told["method"] = training.method.clone().into();
    told["objective"] = json!(training.objective);
    told["objective_kind"] = json!(training.objective_kind);
    told["objective_before"] = json!(before.about().training.objective);
    told["likelihood"] = after.posterior().likelihood().expression().into();
    told["model"] = options.output.display().to_string().into();
    told
}
