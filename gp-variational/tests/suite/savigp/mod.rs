//! Variational inference with Gaussian and mixture posteriors.
#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

mod batches;
mod faults;
mod gradients;
mod limits;
mod mixtures;
mod predictions;
mod sampling;
mod shared;
pub(crate) mod support;
mod threads;
mod training;
