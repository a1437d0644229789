//! Gaussian-process models for Python, on the engine of the `gp` command.
//!
//! What is here moves tables in and numbers out, and lets the interpreter go meanwhile. What a model is and does is in gp-cli;
//! what users of Python expect around it (estimators, checks of their arguments) is in `python/gp`.
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
