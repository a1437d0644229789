//! Several classes, pairwise or by class likelihoods.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod dense;
mod difference;
mod fixed_points;
mod left_out;
mod likelihoods;
mod many;
mod predictions;
mod problem;
mod sampling;
mod tied;
mod weights;

use super::exact::reference;
use super::power_ep::support;
