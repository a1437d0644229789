//! The guarded L-BFGS and what surrounds it: smooth problems, failing ones, and the course of a run.

#![cfg(feature = "solvers")]
#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

mod faults;
mod runs;
mod smooth;
mod support;
