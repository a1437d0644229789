//! The columns of observation of a table, as training takes them.

use super::adjuster::{Adjuster, RoleValues};
use super::roles::Roles;
use super::target::Target;
use crate::data::{Column, Frame};
use crate::error::CliError;
use gp_likelihoods::Likelihood;

/// Observations row by row: the target in the units of the model and, where columns have a role that changes what it says,
/// an adjustment and a weight, as [`Adjusted`](gp_likelihoods::Adjusted) has them. The likelihood is that of the target.
///
/// # Errors
/// As [`Target::encode`] and [`RoleValues::of_observations`].
pub fn observations(
    frame: &Frame,
    target: &Target,
    roles: &Roles,
    likelihood: &dyn Likelihood,
) -> Result<Vec<f64>, CliError> {
    let targets = target.encode(frame, likelihood.support())?;
    if !roles.adjust() {
        return Ok(targets);
    }
    let (values, scale) = (RoleValues::of_observations(roles, frame)?, target.scale());
    let adjuster = Adjuster::new(likelihood, scale.scale);
    let numbers = frame.column(&target.name).and_then(Column::numbers).filter(|_| adjuster.moves_target());
    let mut observed = Vec::with_capacity(3 * targets.len());
    for (row, (y, own)) in targets.into_iter().zip(values.rows()).enumerate() {
        observed.push(numbers.map_or(y, |numbers| scale.apply(numbers[row] - own.offset)));
        observed.extend(adjuster.columns(own));
    }
    Ok(observed)
}
