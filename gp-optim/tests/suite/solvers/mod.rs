//! L-BFGS on smooth and failing problems, and its runs.

#![cfg(feature = "solvers")]
#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

mod faults;
mod runs;
mod smooth;
mod support;
