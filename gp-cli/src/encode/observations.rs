//! Training observations of a table.

use super::adjuster::{Adjuster, RoleValues};
use super::roles::Roles;
use super::target::{Target, encode_targets};
use crate::data::{Column, Frame};
use crate::error::CliError;
use crate::standardise::Standardiser;
use gp_likelihoods::{Adjusted, Likelihood};

/// Observations in the columns of [`Adjusted`](gp_likelihoods::Adjusted), row by row: targets in model units and, if
/// roles change them, one adjustment per target and a weight. `likelihood` excludes role columns.
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
    if targets.is_empty() || !roles.adjust() {
        return Ok(encoded);
    }
    let of_targets = targets
        .iter()
        .enumerate()
        .map(|(place, target)| OfTarget::read(frame, target, &roles.of_target(place), likelihood));
    let of_targets = of_targets.collect::<Result<Vec<_>, _>>()?;
    let width = targets.len() + Adjusted::columns_after(targets.len());
    let mut observed = Vec::with_capacity(width * frame.row_count());
    for (row, encoded) in encoded.chunks_exact(targets.len()).enumerate() {
        observed.extend(of_targets.iter().zip(encoded).map(|(of, y)| of.bare(*y, row)));
        observed.extend(of_targets.iter().map(|of| of.adjuster.adjustment(&of.values.rows()[row])));
        observed.extend(of_targets.iter().take(1).map(|of| of.values.rows()[row].weight));
    }
    Ok(observed)
}

struct OfTarget<'f> {
    scale: Standardiser,
    adjuster: Adjuster,
    values: RoleValues,
    /// Target, if offsets are subtracted.
    numbers: Option<&'f [f64]>,
}

impl<'f> OfTarget<'f> {
    fn read(
        frame: &'f Frame,
        target: &Target,
        roles: &Roles,
        likelihood: &dyn Likelihood,
    ) -> Result<Self, CliError> {
        let (values, scale) = (RoleValues::of_observations(roles, frame)?, target.scale());
        let adjuster = Adjuster::new(likelihood, scale.scale);
        let numbers = frame.column(&target.name).and_then(Column::numbers);
        Ok(Self { scale, adjuster, values, numbers: numbers.filter(|_| adjuster.moves_target()) })
    }

    fn bare(&self, encoded: f64, row: usize) -> f64 {
        self.numbers
            .map_or(encoded, |numbers| self.scale.apply(numbers[row] - self.values.rows()[row].offset))
    }
}
