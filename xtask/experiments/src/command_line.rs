//! The program behind `cargo xtask experiment` and `cargo xtask data`.

mod commands;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;
use commands::Command;

/// The tables and figures of five papers, and the data they need.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run(&mut std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads has read enough.
        Err(gp_experiments::ExperimentError::Write(cause))
            if cause.kind() == std::io::ErrorKind::BrokenPipe =>
        {
            ExitCode::SUCCESS
        }
        Err(error) => {
            // Where standard error itself is closed there is nobody left to tell.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}
