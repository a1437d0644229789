//! Variational inference for latent Gaussian-process models.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod error;
pub mod kl;
pub mod savigp;

pub use error::VariationalError;
pub use savigp::Savigp;
