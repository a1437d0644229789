//! Variational inference for latent Gaussian-process models.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod ascent;
pub mod dense;
mod error;
pub mod expectation;
pub mod kl;
mod mixing;
mod posterior;
pub mod savigp;

pub use ascent::{Ascent, NaturalOptions};
pub use dense::DenseVariational;
pub use error::VariationalError;
pub use expectation::{Draws, Estimator, Expectation, Sampling};
pub use posterior::VariationalPosterior;
pub use savigp::Savigp;
