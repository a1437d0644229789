//! Commands in separate packages, because they depend on every library: `experiment`, `bench`, `fuzz`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::Cargo;
use crate::error::XtaskError;
use crate::workspace;

/// Arguments passed to the program.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Arguments of the program
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

impl Args {
    /// Runs a release build; `first` precedes other arguments.
    pub(crate) fn run(&self, package: &str, first: &[&str]) -> Result<(), XtaskError> {
        let cargo = Cargo::of_this_toolchain();
        let mut run = Command::new(cargo.program());
        run.args(["run", "--quiet", "--release", "--package", package, "--"])
            .args(first)
            .args(&self.arguments);
        cargo.pass_on(run)
    }

    /// [`run`](Self::run) of a development build: optimised, overflow checks.
    pub(crate) fn run_checked(&self, program: &str) -> Result<(), XtaskError> {
        let (cargo, root) = (Cargo::of_this_toolchain(), workspace::root()?);
        build_checked(&cargo, &root, program)?;
        let mut run = Command::new(built(&root, program));
        run.args(&self.arguments);
        cargo.pass_on(run)
    }
}

/// Development build of all features; the example adds development dependencies, as in CI.
pub(crate) fn build_checked(cargo: &Cargo, root: &Path, program: &str) -> Result<(), XtaskError> {
    let whole = ["build", "--quiet", "--workspace", "--all-features"];
    cargo.run_in(root, &[&whole[..], &["--example", "streamed_rows", "--bin", program]].concat())
}

pub(crate) fn built(root: &Path, program: &str) -> PathBuf {
    output_folder(root).join("debug").join(program).with_extension(std::env::consts::EXE_EXTENSION)
}

pub(crate) fn output_folder(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder))
}
