//! The tables and figures, one small file each, and the list of them.

mod active_set;
mod banana_powers;
mod banana_regions;
mod binary_table;
mod classification;
mod delays;
mod digits_by_sparsity;
mod digits_course;
mod drawn_regression;
mod even_digits;
mod flights_course;
mod image_course;
mod many_digits;
mod mining;
mod multiclass_tables;
mod parity_batches;
mod parity_course;
mod parity_workers;
mod regression;
mod robot_arm;
mod satellite_course;
mod schemes;
mod seismic;
mod small_variational;
mod textbook;
mod three_classes;
mod two_averages;

use crate::error::ExperimentError;
use crate::harness::Item;

/// All items, in the order in which the report has them.
pub const ITEMS: &[&dyn Item] = &[
    &schemes::VEHICLE,
    &multiclass_tables::MulticlassTables,
    &three_classes::ThreeClasses,
    &satellite_course::SatelliteCourse,
    &digits_course::DigitsCourse,
    &flights_course::FlightsCourse,
    &two_averages::TwoAverages,
    &drawn_regression::DrawnRegression,
    &regression::Regression,
    &classification::Classification,
    &banana_powers::BananaPowers,
    &textbook::Textbook,
    &parity_course::ParityCourse,
    &even_digits::EvenDigits,
    &active_set::ActiveSet,
    &schemes::PIMA,
    &binary_table::BinaryTable,
    &banana_regions::BananaRegions,
    &image_course::ImageCourse,
    &parity_workers::ParityWorkers,
    &small_variational::SmallVariational,
    &mining::Mining,
    &digits_by_sparsity::DigitsBySparsity,
    &robot_arm::RobotArm,
    &parity_batches::ParityBatches,
    &delays::Delays,
    &many_digits::ManyDigits,
    &seismic::SeismicSurvey,
];

/// The items of these names; `all` are all of them.
///
/// # Errors
/// For a name that none has.
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
