//! Commands that are programs of their own, optimised: `experiment` and `data`, and `bench`.
//!
//! They stand on every library of the workspace. In packages of their own, the other commands do not wait for these to
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
    /// Compiles the program of this package where that is needed, and runs it in the current folder, with these words first.
    pub(crate) fn run(&self, package: &str, first: &[&str]) -> Result<(), XtaskError> {
        let cargo = Cargo::of_this_toolchain();
        let mut run = Command::new(cargo.program());
        run.args(["run", "--quiet", "--release", "--package", package, "--"])
            .args(first)
            .args(&self.arguments);
        cargo.pass_on(run)
    }
}
