//! Tables and figures, and their list.

mod automated;
mod binary;
mod calibration;
mod cluster;
mod defaults;
mod delays;
mod growth;
mod informative;
mod known;
mod many_digits;
mod many_steps;
mod mining;
mod multiclass;
mod parity_workers;
mod power;
mod robot_arm;
mod schemes;
mod seismic;
mod spare_points;
mod textbook;
mod two_averages;

use crate::error::ExperimentError;
use crate::harness::Item;

/// All items in report order.
pub const ITEMS: &[&dyn Item] = &[
    &schemes::VEHICLE,
    &multiclass::TABLES,
    &multiclass::THREE_CLASSES,
    &multiclass::SATELLITE,
    &multiclass::DIGITS,
    &multiclass::FLIGHTS,
    &two_averages::TWO_AVERAGES,
    &power::DRAWN,
    &known::KNOWN,
    &power::REGRESSION,
    &power::CLASSIFICATION,
    &power::BANANA,
    &textbook::TEXTBOOK,
    &power::DIGITS,
    &informative::TABLE,
    &informative::FIGURES,
    &schemes::PIMA,
    &binary::TABLE,
    &binary::BANANA,
    &binary::IMAGE,
    &parity_workers::WORKERS,
    &automated::SMALL,
    &mining::MINING,
    &automated::SPARSITY,
    &robot_arm::TORQUES,
    &automated::BATCHES,
    &delays::DELAYS,
    &many_digits::IMAGES,
    &seismic::SURVEY,
    &many_steps::MANY_STEPS,
    &defaults::Defaults,
    &calibration::CALIBRATION,
    &spare_points::SPARE_POINTS,
    &growth::Growth,
    &cluster::Cluster,
];

/// Items by name; `all` selects all.
///
/// # Errors
/// Unknown name.
pub fn find(names: &[String]) -> Result<Vec<&'static dyn Item>, ExperimentError> {
    if names.iter().any(|name| name == "all") {
        return Ok(ITEMS.to_vec());
    }
    let one = |name: &String| {
        let found = ITEMS.iter().find(|item| item.name() == name).copied();
        found.ok_or_else(|| {
            let known: Vec<&str> = ITEMS.iter().map(|item| item.name()).collect();
            ExperimentError::NoItem { name: name.clone(), known: known.join(", ") }
        })
    };
    names.iter().map(one).collect()
}
