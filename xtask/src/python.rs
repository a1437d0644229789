//! `cargo xtask python`: the Python package, built and tested in its own environment.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::error::XtaskError;
use crate::program::output_folder;
use crate::workspace;

const PACKAGE: &str = "gp-python";

/// Options of `cargo xtask python`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The interpreter to test with, 3.10 or newer
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    interpreter: OsString,
    /// Arguments for pytest, such as `-k classes`
    #[arg(last = true, value_name = "ARGUMENTS")]
    pytest: Vec<OsString>,
}

/// Creates the environment if needed, installs the package and runs its tests.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), XtaskError> {
    let root = workspace::root()?;
    let built = output_folder(&root).join("python");
    let environment = built.join(Path::new(&args.interpreter).file_name().unwrap_or(&args.interpreter));
    let python = environment.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    if !python.is_file() {
        writeln!(out, "making an environment in {}", environment.display())?;
        carry_out(Command::new(&args.interpreter).args(["-m", "venv"]).arg(&environment))?;
    }
    writeln!(out, "building the package")?;
    // By pip, as users do; compiled code is reused.
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "./gp-python[test]"]);
    carry_out(install.current_dir(&root).env("CARGO_TARGET_DIR", &built))?;
    let mut tests = Command::new(&python);
    carry_out(tests.args(["-m", "pytest", "--quiet"]).args(&args.pytest).current_dir(root.join(PACKAGE)))
}

/// Runs a program with this program's streams; it reports its own failure.
fn carry_out(command: &mut Command) -> Result<(), XtaskError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|source| XtaskError::Spawn { program, source })?;
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => Err(XtaskError::Reported { code: u8::try_from(code).unwrap_or(1) }),
        None => Err(XtaskError::CommandFailed { status: status.to_string() }),
    }
}
