//! Closed-form Power EP against independent formulas.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod bounds;
mod calibration;
mod dense;
mod faults;
mod formulas;
mod gradients;
mod limits;
mod models;
mod threads;
mod training;
mod weights;

use super::exact::{reference, support};
