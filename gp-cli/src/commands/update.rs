//! `gp update`: more observations for a model, its parameters as they are.

use super::{TableOptions, print_json, warn};
use crate::context::Context;
use crate::data::Frame;
use crate::encode::{Factors, Role, RoleValues};
use crate::error::CliError;
use crate::files::{InputFiles, OutputFile};
use crate::left_out::counted;
use crate::method::{self, Given, Later, Updated, refused};
use crate::model::{About, Model};
use crate::notes::Notes;
use faer::MatRef;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

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
    /// Options for reading the table
    #[command(flatten)]
    pub table: TableOptions,
    /// Replace a file that is there
    #[arg(long)]
    pub force: bool,
    /// Print what was done as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Writes the model with more observations.
///
/// # Errors
/// Of kind [`Usage`](crate::ErrorKind::Usage) for a model whose method does not keep what an update needs; otherwise of the
/// kind of whatever failed.
pub fn run(
    options: &UpdateOptions,
    context: &Context,
    out: &mut dyn Write,
    notes: &mut Notes<'_>,
) -> Result<(), CliError> {
    let start = Instant::now();
    // The model may be replaced by the one with more observations.
    let inputs = InputFiles::none().and("DATA", Some(&options.data));
    let output = OutputFile::prepare("--output", &options.output, options.force, &inputs)?;
    let model = Model::load(&options.model, context)?;
    let method = context.methods.find(&model.about().training.method)?;
    let roles = &model.about().roles;
    let more: Vec<String> = roles.iter().map(|(_, name)| name.to_owned()).collect();
    let (frame, left_out) = options.table.read_counted(&options.data, context, &model, &more, notes)?;
    let names: Vec<&str> = model.targets().iter().map(|target| target.name.as_str()).collect();
    if names.iter().all(|name| frame.column(name).is_none()) {
        return Err(frame.lacks(&names, ""));
    }
    let encoded = model.inputs().encode(&frame)?;
    warn(notes, &encoded.warnings());
    let observations = model.training_observations(&frame)?;
    if let Some(name) = roles.column(Role::Blocks) {
        let why = format!("its rows were approximated in the blocks of column {name}");
        return Err(refused(method.name(), &why));
    }
    let factors = Factors::of(roles, &frame)?;
    let given = Given::of_config(&model.about().config, method.settings());
    let later = Later {
        before: model.posterior(),
        points: encoded.points.as_ref(),
        observed: MatRef::from_row_major_slice(
            &observations,
            frame.row_count(),
            observations.len() / frame.row_count(),
        ),
        powers: &factors.powers,
        given: &given,
    };
    let rows = frame.row_count();
    notes.stage(format_args!("taking in {}", more_rows(rows)));
    let updated = method::update(method.as_ref(), later)?;
    warn(notes, &updated.warnings);
    let weights = weights(&model, &frame, &observations)?;
    let mut about = about(&model, &updated, (rows, &weights));
    about.inputs.widen(&frame);
    let warnings = [encoded.warnings(), updated.warnings].concat();
    // The linear model has not seen the new rows; beside one that has, it would look worse than it is.
    let updated_model = Model::new(about, updated.posterior, None);
    output.write(&updated_model.to_bytes()?)?;
    let more = more_rows(rows);
    notes.say(format_args!("wrote {} with {more}, {}", options.output.display(), updated.how));
    if !options.json {
        return Ok(());
    }
    let told = json!({
        "rows": rows,
        "left_out": left_out.len(),
        "how": updated.how,
        "warnings": warnings,
        "seconds": start.elapsed().as_secs_f64(),
    });
    print_json(out, &summary(told, options, &model, &updated_model))
}

/// Summary of the update with the models before and after, for programs.
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

fn more_rows(rows: usize) -> String {
    counted(rows, "more row")
}

/// Weight of the rows of each target.
fn weights(model: &Model, frame: &Frame, observations: &[f64]) -> Result<Vec<f64>, CliError> {
    let targets = model.targets().len();
    if targets == 1 {
        return Ok(vec![RoleValues::of_observations(&model.about().roles, frame)?.weight()]);
    }
    // Rows of several targets weigh the same.
    let there = |place| observations.iter().skip(place).step_by(targets).filter(|y| !y.is_nan()).count();
    Ok((0..targets).map(|place| there(place) as f64).collect())
}

/// Record of the model with the added rows and their weights per target.
fn about(model: &Model, updated: &Updated, (rows, weights): (usize, &[f64])) -> About {
    let mut about = model.about().clone();
    let training = &mut about.training;
    training.rows += rows;
    training.updated_rows += rows;
    training.objective += updated.gain;
    for (place, (target, weight)) in model.targets().iter().zip(weights).enumerate() {
        // Densities of numbers in units of the scale.
        training.objective -= weight * target.scale().scale.ln();
        if let Some(rows) = training.rows_of_targets.get_mut(place) {
            *rows += *weight as usize;
        }
    }
    training.updates.push(format!("{}, {}", more_rows(rows), updated.how));
    training.warnings.extend(updated.warnings.iter().cloned());
    about
}
