//! The tables and figures, one small file each, and the list of them.

mod binary_table;
mod classification;
mod digits_course;
mod even_digits;
mod flights_course;
mod mining;
mod multiclass_tables;
mod regression;
mod small_variational;

use crate::error::ExperimentError;
use crate::harness::Item;

/// All items, in the order in which the report has them.
pub const ITEMS: &[&dyn Item] = &[
    &multiclass_tables::MulticlassTables,
    &digits_course::DigitsCourse,
    &flights_course::FlightsCourse,
    &regression::Regression,
    &classification::Classification,
    &even_digits::EvenDigits,
    &binary_table::BinaryTable,
    &small_variational::SmallVariational,
    &mining::Mining,
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
