//! Checkpoints: what a resumed run ends with, what a damaged file is taken for, and what a killed process leaves.

#![cfg(feature = "solvers")]
#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

mod damage;
mod interrupted;
mod killed;
mod resumed;
mod support;
mod trained;
