//! `cargo xtask fuzz`: random inputs for the readers of the `gp` command.
//!
//! Inputs depend on seed, reader and index only. Failures are panics, more than two seconds or 256 MB, and violations
//! of `gp_cli::fuzzing`. Each reader has its own process, which some failures end.

mod driver;
mod error;
mod failures;
mod inputs;
mod memory;
mod random;
mod watched;
mod worker;

use clap::{Parser, Subcommand};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Test the readers of the gp command on random inputs
#[derive(Debug, Parser)]
#[command(name = "cargo xtask fuzz", bin_name = "cargo xtask fuzz", args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    args: driver::Args,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Test one reader in this process
    #[command(hide = true)]
    Worker(worker::Args),
}

fn main() -> ExitCode {
    let (cli, folder) = (Cli::parse(), folder());
    let done = match &cli.command {
        Some(Command::Worker(args)) => worker::run(args, &folder),
        None => driver::run(&cli.args, &folder, &mut std::io::stdout()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed, there is no way to report.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Folder of failed inputs.
fn folder() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap_or(root);
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("fuzz")
}
