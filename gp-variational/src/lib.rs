//! Variational inference for latent Gaussian-process models.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod error;
pub mod kl;

pub use error::VariationalError;
