//! Checkpoints: resumed runs, damaged files, killed processes.

#![cfg(feature = "solvers")]
#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

mod damage;
mod interrupted;
mod killed;
mod resumed;
mod support;
mod trained;
