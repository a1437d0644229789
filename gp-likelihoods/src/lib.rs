//! What one observation says about its latent values.
//!
//! A likelihood ties an observation `y` to a latent value `f`. Inference asks it for log densities, for their
//! expectation under a Gaussian, and for the normaliser of a Gaussian times a power of the likelihood; people ask it
//! for what the next observation will be.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod error;
mod gaussian;
mod latent;
pub mod quadrature;
pub mod special;

pub use error::LikelihoodError;
pub use gaussian::{ExpectedLogDensity, Gaussian, LogDensity, Tilted};
pub use latent::Latent;
