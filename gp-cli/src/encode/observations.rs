//! The columns of observation of a table, as training takes them.

use super::adjuster::{Adjuster, RoleValues};
use super::roles::Roles;
use super::target::{Target, encode_targets};
use crate::data::{Column, Frame};
use crate::error::CliError;
use gp_likelihoods::Likelihood;

/// Observations row by row: the targets in the units of the model and, where columns have a role that changes what a single
/// one says, an adjustment and a weight, as [`Adjusted`](gp_likelihoods::Adjusted) has them. The likelihood is that of the
/// targets.
///
/// # Errors
/// As [`Target::encode`] and [`RoleValues::of_observations`].
pub fn observations(
    frame: &Frame,
    targets: &[&Target],
    roles: &Roles,
    likelihood: &dyn Likelihood,
) -> Result<Vec<f64>, CliError> {
    let encoded = encode_targets(targets, frame, likelihood.support())?;
    let Some(target) = targets.first().filter(|_| roles.adjust()) else { return Ok(encoded) };
    let (values, scale) = (RoleValues::of_observations(roles, frame)?, target.scale());
    let adjuster = Adjuster::new(likelihood, scale.scale);
    let numbers = frame.column(&target.name).and_then(Column::numbers).filter(|_| adjuster.moves_target());
    let mut observed = Vec::with_capacity(3 * encoded.len());
    for (row, (y, own)) in encoded.into_iter().zip(values.rows()).enumerate() {
        observed.push(numbers.map_or(y, |numbers| scale.apply(numbers[row] - own.offset)));
        observed.extend(adjuster.columns(own));
    }
    Ok(observed)
}
