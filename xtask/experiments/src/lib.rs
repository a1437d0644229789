#![doc = include_str!("../README.md")]

pub mod baselines;
mod command_line;
mod commands;
pub mod data;
mod error;
pub mod grid;
pub mod harness;
pub mod items;
pub mod methods;
pub mod report;

pub use command_line::{main_with, run};
pub use error::ExperimentError;
