//! Command line, for programs with their own kernels, likelihoods and methods.

use crate::commands::Command;
use crate::error::ExperimentError;
use clap::Parser;
use gp_cli::Context;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Reproduce tables and figures of five papers
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Runs the process's command line.
pub fn main_with(names: &Context) -> ExitCode {
    let code = run(names, std::env::args_os(), &mut std::io::stdout(), &mut std::io::stderr());
    ExitCode::from(code)
}

/// Runs a command line, program name first; returns the exit code. Lists and counts go to `out`, all else to
/// `err`.
pub fn run(
    names: &Context,
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let done = match Cli::try_parse_from(arguments) {
        Ok(line) => line.command.run(names, out),
        Err(refusal) => {
            let text = refusal.render();
            // With a closed stream there is no way to report.
            let _ = if refusal.use_stderr() { write!(err, "{text}") } else { write!(out, "{text}") };
            return u8::try_from(refusal.exit_code()).unwrap_or(2);
        }
    };
    match done {
        Ok(()) => 0,
        // A closed pipe is not an error.
        Err(ExperimentError::Write(cause)) if cause.kind() == ErrorKind::BrokenPipe => 0,
        Err(error) => {
            let _ = writeln!(err, "error: {error}");
            1
        }
    }
}
