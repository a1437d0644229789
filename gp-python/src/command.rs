//! The `gp` command inside the package.

use gp_cli::Context;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::{stderr, stdout};

/// Runs `gp` with these arguments, program name first; returns the exit code.
#[pyfunction]
pub(crate) fn run(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| gp_cli::run(&Context::built_in(), arguments, &mut stdout(), &mut stderr()))
}
