//! Iterative Power EP against formulas written out without any of the workspace's linear algebra.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod gradients;
mod limits;
#[path = "../exact/reference.rs"]
#[expect(dead_code, reason = "shared with the tests of exact regression")]
mod reference;
mod regression;
mod support;
mod surrogate;
mod textbook;
mod threads;
