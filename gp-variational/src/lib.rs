//! Variational inference for latent Gaussian-process models.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod error;
pub mod expectation;
pub mod kl;
pub mod savigp;

pub use error::VariationalError;
pub use expectation::{Draws, Estimator, Expectation, Sampling};
pub use savigp::Savigp;
