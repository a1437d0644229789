//! Readers of the command on inputs made at random, without end: `cargo xtask fuzz`.
//!
//! An input is a function of the seed, the reader and its number, so that every failure can be repeated. A panic, more than
//! two seconds, more than 256 MB of memory, and what the functions of `gp_cli::fuzzing` say does not hold, are failures. Readers
//! run in processes of their own, because some failures end them.

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

/// Readers of the command on inputs made at random.
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
    /// Try one reader in this process
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
            // Where standard error itself is closed there is nobody left to tell.
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
