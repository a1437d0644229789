//! Defaults for one latent.

mod expectation;
mod expected;
mod known_grid;
mod predictive;
mod tilted;
mod tilted_on_grid;
mod transition;

pub(super) use expected::expected_log_density;
pub(crate) use known_grid::expected_on_known_grid;
pub(super) use predictive::{cdf, predictive_moments};
pub(super) use tilted::tilted;
pub(crate) use tilted::{Shape, tilted_along};
pub(crate) use tilted_on_grid::tilted_on_known_grid;

use crate::derivatives::refill;
use crate::error::LikelihoodError;
use crate::likelihood::{Likelihood, parameter_count};
use crate::workspace::Workspace;

/// Agreement relative to `∫ |g|`.
const REFINEMENT: f64 = 1e-12;

/// Narrowest bend for a grid, if not concave; `FINER`: safety margin.
const BROAD: f64 = 0.2;
const FINER: f64 = 0.25;

/// `scale · Σ w_i ∂ℓ(f_i)/∂θ` into `ws.by_params`.
fn sum_by_params<L: Likelihood + ?Sized>(
    likelihood: &L,
    y: &[f64],
    scale: f64,
    ws: &mut Workspace,
) -> Result<(), LikelihoodError> {
    let count = parameter_count(likelihood.parameters());
    refill(&mut ws.by_params, 2 * count);
    let (sums, one) = ws.by_params.split_at_mut(count);
    if count > 0 {
        for &(f, weight) in ws.rule.iter().filter(|(_, weight)| *weight != 0.0) {
            likelihood.log_density_by_params(y, &[f], one)?;
            sums.iter_mut().zip(&*one).for_each(|(sum, d)| *sum += scale * weight * d);
        }
    }
    ws.by_params.truncate(count);
    Ok(())
}

fn width_of_bend(first: f64, second: f64, v: f64) -> f64 {
    let steepness = 1.0 + v * (first * first + second.abs());
    if steepness.is_finite() { 1.0 / steepness.sqrt() } else { 1.0 }
}

fn grid_width(width: f64) -> Option<f64> {
    (width >= BROAD).then_some(FINER * width)
}
