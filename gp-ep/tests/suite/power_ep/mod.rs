//! Power EP against independent formulas.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod after;
mod calibration;
mod faults;
mod gradients;
mod limits;
mod mixed;
mod moving;
mod over_parameters;
mod pathologies;
mod regression;
mod sampling;
mod shared;
pub(crate) mod support;
mod surrogate;
mod textbook;
mod threads;
mod training;
mod two_latents;

use super::exact::reference;
