//! Updates at fixed parameters.

mod summary;

use crate::context::Context;
use crate::data::Frame;
use crate::encode::{Factors, Role, RoleValues, RowMarks, row_marks};
use crate::error::CliError;
use crate::left_out::counted;
use crate::method::{self, Given, Later, Updated, refused};
use crate::model::{About, KnownRows, Model};
use faer::MatRef;

const AGAIN: &str =
    "which now count twice, so that intervals become too narrow; update the earlier model with new rows only";

/// Result of an update.
#[derive(Debug)]
pub struct UpdatedModel {
    /// With old and new observations.
    pub model: Model,
    /// Text about the update.
    pub how: String,
    /// Warnings about the new rows.
    pub warnings: Vec<String>,
}

/// Conditions a model on table rows, which need all inputs and a target.
///
/// # Errors
/// [`Usage`](crate::ErrorKind::Usage) for an unsuitable model, [`Data`](crate::ErrorKind::Data) for an unsuitable
/// table.
pub fn take_in(model: &Model, frame: &Frame, context: &Context) -> Result<UpdatedModel, CliError> {
    let method = context.methods.find(&model.about().training.method)?;
    let roles = &model.about().roles;
    let names: Vec<&str> = model.targets().iter().map(|target| target.name.as_str()).collect();
    if names.iter().all(|name| frame.column(name).is_none()) {
        return Err(frame.lacks(&names, ""));
    }
    let encoded = model.inputs().encode(frame)?;
    let observations = model.training_observations(frame)?;
    if let Some(name) = roles.column(Role::Blocks) {
        let why = format!("its rows were approximated in the blocks of column {name}");
        return Err(refused(method.name(), &why));
    }
    let factors = Factors::of(roles, frame)?;
    let given = Given::of_config(&model.about().config, method.settings());
    let rows = frame.row_count();
    let later = Later {
        before: model.posterior(),
        points: encoded.points.as_ref(),
        observed: MatRef::from_row_major_slice(&observations, rows, observations.len() / rows),
        powers: &factors.powers,
        given: &given,
    };
    let updated = method::update(method.as_ref(), later)?;
    let weights = weights(model, frame, &observations)?;
    let marks = row_marks(frame, &model.inputs().names(), &model.targets());
    let mut about = about(model, &updated, (rows, &weights), marks);
    about.inputs.widen(frame);
    let mut summaries = summary::summaries(model, frame)?.into_iter();
    about.summary = summaries.next().unwrap_or(about.summary);
    about.others.iter_mut().zip(summaries).for_each(|(other, summary)| other.summary = summary);
    let again = again(model.known_rows(frame));
    let warnings = [Vec::from_iter(again), encoded.warnings(), updated.warnings].concat();
    // No linear baseline: without the new rows, it would look too weak.
    Ok(UpdatedModel {
        model: Model::new(about, updated.posterior, None),
        how: updated.how.to_owned(),
        warnings,
    })
}

fn again(known: KnownRows) -> Option<String> {
    match known {
        KnownRows::None => None,
        KnownRows::All => Some(format!("the model already has these rows, {AGAIN}")),
        KnownRows::Share(share) => {
            Some(format!("the model already has about {:.0} % of these rows, {AGAIN}", 100.0 * share))
        }
    }
}

pub(crate) fn more_rows(rows: usize) -> String {
    counted(rows, "more row")
}

/// Row count and total weight per target.
fn weights(model: &Model, frame: &Frame, observations: &[f64]) -> Result<Vec<(usize, f64)>, CliError> {
    let roles = RoleValues::of_observations(&model.about().roles.of_target(0), frame)?;
    let width = observations.len() / frame.row_count();
    let of_target = |place| {
        let rows = observations.chunks_exact(width).zip(roles.rows());
        let there = rows.filter(|(y, _)| !f64::is_nan(y[place]));
        there.fold((0, 0.0), |(count, sum), (_, row)| (count + 1, sum + row.weight))
    };
    Ok((0..model.targets().len()).map(of_target).collect())
}

/// Record of the updated model. `weights`: count and weight of new rows per target; `marks` identify rows.
fn about(
    model: &Model,
    updated: &Updated,
    (rows, weights): (usize, &[(usize, f64)]),
    marks: Option<RowMarks>,
) -> About {
    let mut about = model.about().clone();
    let training = &mut about.training;
    training.take_in(rows, marks);
    training.objective += updated.gain;
    for (place, (target, (there, weight))) in model.targets().iter().zip(weights).enumerate() {
        // Converts log densities from model units to data units.
        training.objective -= weight * target.scale().scale.ln();
        if let Some(rows) = training.rows_of_targets.get_mut(place) {
            *rows += there;
        }
    }
    training.updates.push(format!("{}, {}", more_rows(rows), updated.how));
    let of_update = |warning: &String| format!("update with {}: {warning}", more_rows(rows));
    training.warnings.extend(updated.warnings.iter().map(of_update));
    about
}
