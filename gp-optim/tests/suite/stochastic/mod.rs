//! First-order solvers and mini-batches.

#![cfg(feature = "solvers")]
#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

mod batches;
mod faults;
mod noisy;
mod observed;
mod plateau;
mod recurrences;
mod stages;
mod support;
