//! Power-EP inference for Gaussian processes: exact regression and the pseudo-point family.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod error;
pub mod exact;

pub use error::EpError;
pub use exact::{ExactGp, ExactPosterior, ExactWorkspace, Observations};
