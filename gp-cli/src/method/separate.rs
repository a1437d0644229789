//! Updates of models with several targets.

use super::contract::Method;
use super::later::{Later, Updated};
use super::rows::columns_of_target;
use crate::error::CliError;
use crate::model::{Approximation, of_output, together};
use faer::Mat;

/// Targets with own latents are updated separately on their rows, others jointly.
///
/// # Errors
/// As [`Method::update`].
pub fn update(method: &dyn Method, later: Later<'_>) -> Result<Updated, CliError> {
    let whole = later.before.likelihood();
    let outputs = whole.targets();
    if outputs == 1 || (0..outputs).any(|output| whole.own_latent(output).is_none()) {
        let updated = method.update(later)?;
        let posterior = updated.posterior.with_temperature(later.before.temperature())?;
        return Ok(Updated { posterior, ..updated });
    }
    let mut posteriors: Vec<Approximation> = Vec::with_capacity(outputs);
    let (mut gain, mut how, mut warnings) = (0.0, "", Vec::new());
    for output in 0..outputs {
        let (before, _) = of_output(later.before, output)?;
        let there: Vec<usize> =
            (0..later.points.nrows()).filter(|&row| !later.observed[(row, output)].is_nan()).collect();
        if there.is_empty() {
            posteriors.push(before);
            continue;
        }
        let points = Mat::from_fn(there.len(), later.points.ncols(), |i, d| later.points[(there[i], d)]);
        let columns = columns_of_target(output, outputs, later.observed.ncols());
        let observed =
            Mat::from_fn(there.len(), columns.len(), |i, c| later.observed[(there[i], columns[c])]);
        let powers: Vec<f64> = there.iter().filter_map(|&row| later.powers.get(row)).copied().collect();
        let (points, observed) = (points.as_ref(), observed.as_ref());
        let own = Later { before: &before, points, observed, powers: &powers, ..later };
        let updated = method.update(own)?;
        gain += updated.gain;
        how = updated.how;
        warnings.extend(updated.warnings);
        posteriors.push(updated.posterior);
    }
    Ok(Updated { posterior: together(&posteriors, whole.clone_box())?, gain, how, warnings })
}
