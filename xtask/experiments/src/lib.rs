#![doc = include_str!("../README.md")]

pub mod baselines;
pub mod data;
mod error;
pub mod grid;
pub mod harness;
pub mod items;
pub mod methods;
pub mod report;

pub use error::ExperimentError;
