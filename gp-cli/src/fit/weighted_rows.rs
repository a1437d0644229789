//! Offsets and weights of training rows.

use crate::error::CliError;
use crate::method::TrainingRows;
use crate::weighted_rows::WeightedRows;
use gp_ep::DataSource as _;

/// Columns after the target; offset includes log exposure.
const OFFSET: usize = 1;
const WEIGHT: usize = 2;

pub(super) fn weighted(rows: &TrainingRows) -> Result<WeightedRows, CliError> {
    let column = |place: usize| if place < rows.outputs() { rows.column(place) } else { Ok(Vec::new()) };
    let (offsets, mut weights) = (column(OFFSET)?, column(WEIGHT)?);
    weights.resize(rows.count(), 1.0);
    Ok(WeightedRows::new(offsets, weights))
}
