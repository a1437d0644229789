//! Regression with inducing inputs.

use super::gaussian::gaussian;
use super::problem::Problem;
use crate::error::CliError;
use gp_ep::SparseRegression;

/// Model with `power`, unless a column gives powers.
pub(super) fn model(problem: &Problem, power: f64) -> Result<SparseRegression, CliError> {
    let (noise, settings) = (gaussian(problem.likelihood.as_ref())?, &problem.settings);
    let process = problem.processes()?.into_iter().next().ok_or_else(super::power_ep::no_latent)?;
    let model =
        SparseRegression::new(process, noise, settings.powers_or(power)).with_reduction(problem.reduction());
    Ok(match &settings.blocks {
        None => model,
        Some(blocks) => model.with_blocks(blocks.clone()),
    })
}
