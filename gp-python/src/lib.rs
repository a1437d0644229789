//! Gaussian-process models for Python, with the library of the `gp` command.
//!
//! This crate converts tables and numbers, and releases the interpreter lock during computations. Models are in gp-cli.
//! Estimators and argument checks are in `python/gp`.
#![deny(unsafe_code)]

mod command;
mod context;
mod errors;
mod fitting;
mod function;
mod latents;
mod leave_one_out;
mod model;
mod table;
mod waiting;

/// The compiled half of the package `gp`.
#[pyo3::pymodule]
mod _gp {
    #[pymodule_export]
    use super::command::run;
    #[pymodule_export]
    use super::fitting::fit;
    #[pymodule_export]
    use super::function::Function;
    #[pymodule_export]
    use super::model::Model;
}
