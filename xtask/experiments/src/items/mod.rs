//! The tables and figures, one small file each, and the list of them.

mod binary_table;
mod multiclass_tables;

use crate::error::ExperimentError;
use crate::harness::Item;

/// All items, in the order in which the report has them.
pub const ITEMS: &[&dyn Item] = &[&binary_table::BinaryTable, &multiclass_tables::MulticlassTables];

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
