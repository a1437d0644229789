//! Exact regression against independent formulas.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod faults;
mod gradients;
mod leave_one_out;
mod over_parameters;
mod predictions;
pub(crate) mod reference;
pub(crate) mod support;
mod terms;
mod training;
mod weights;
