//! `cargo xtask experiment` and `cargo xtask data`: a program of its own, optimised.
//!
//! It stands on every library of the workspace. In a package of its own, the other commands do not wait for these to
//! compile.

use std::ffi::OsString;
use std::process::Command;

use crate::ci::Cargo;
use crate::error::XtaskError;

/// What is handed on, unread.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A command of the program, and its options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

impl Args {
    /// Compiles the program where that is needed, and runs it in the current folder.
    pub(crate) fn run(&self, command: &str) -> Result<(), XtaskError> {
        let cargo = Cargo::of_this_toolchain();
        let mut run = Command::new(cargo.program());
        run.args(["run", "--quiet", "--release", "--package", "gp-experiments", "--", command])
            .args(&self.arguments);
        cargo.pass_on(run)
    }
}
