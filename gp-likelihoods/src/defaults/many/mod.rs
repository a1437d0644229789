//! Defaults for two or more latents.

mod expected;
mod laplace;
mod nodes;
mod predictive;
mod quantile;
pub(crate) mod room;
mod rules;
mod sums;
mod tilted;

pub(crate) use expected::expected_by_few_nodes;
pub(super) use expected::expected_log_density;
pub(super) use predictive::{cdf, class_probabilities, predictive_moments};
pub(super) use quantile::quantile;
pub(super) use tilted::tilted;

/// Most latents for product rules.
pub(crate) const MAX_BY_PRODUCTS: usize = 3;
