//! Several classes: pairwise factors, and likelihoods of classes, through the engine.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod dense;
mod difference;
mod fixed_points;
mod likelihoods;
mod many;
mod predictions;
mod problem;
#[expect(dead_code, reason = "what other tests need of it is not needed here")]
#[path = "../exact/reference.rs"]
mod reference;
mod sampling;
#[expect(dead_code, reason = "what other tests need of it is not needed here")]
#[path = "../power_ep/support.rs"]
mod support;
mod tied;
mod weights;
