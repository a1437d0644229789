//! Tests of the command under `mpirun`.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod bits;
mod faults;
mod support;
mod traffic;
mod words;
