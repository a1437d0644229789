//! Developer commands of the workspace, run as `cargo xtask <command>`.
//!
//! | command | purpose |
//! |---|---|
//! | `ci` | all checks on a clean checkout, step by step |
//! | `tidy` | project rules beyond compiler lints |
//! | `faults` | kills, interrupts and starves the `gp` command, and checks the results |
//! | `supply` | licences and versions of dependencies, metadata of packages |
//! | `python` | builds and tests the Python package `gp-python` |
//! | `mpi` | builds `gp-mpi`, and tests it under `mpirun` |
//! | `experiment` | tables, figures and data sets of five papers: program in `xtask/experiments` |
//! | `fuzz` | random inputs for the command's readers: program in `xtask/fuzz` |
//! | `bench` | speed relative to the machine's rates: program in `xtask/bench` |
//!
//! Each command is a module with clap `Args` and a function `run`. Results go to standard output, errors to standard
//! error. Exit codes: 1 for errors, 2 for usage errors.

mod cargo;
mod ci;
mod error;
mod faults;
mod mpi;
mod outside;
mod program;
mod python;
mod supply;
mod tidy;
mod workspace;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::XtaskError;

/// Developer commands of the workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run all checks on this checkout
    Ci(ci::Args),
    /// Check project rules beyond compiler lints
    Tidy(tidy::Args),
    /// Kill, interrupt and starve the gp command, and check what it leaves
    Faults(faults::Args),
    /// Check licences and versions of dependencies against deny.toml, and metadata of packages
    Supply,
    /// Build the Python package and run its tests
    Python(python::Args),
    /// Build the multi-process command gp-mpi and test it under mpirun
    Mpi(mpi::Args),
    /// Reproduce tables and figures of five papers (see `experiment --help`)
    #[command(disable_help_flag = true)]
    Experiment(program::Args),
    /// Test the readers of the gp command on random inputs (see `fuzz --help`)
    #[command(disable_help_flag = true)]
    Fuzz(program::Args),
    /// Time every method, relative to the machine's rates (see `bench --help`)
    #[command(disable_help_flag = true)]
    Bench(program::Args),
}

fn main() -> ExitCode {
    match dispatch(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(XtaskError::Reported { code }) => ExitCode::from(code),
        Err(error) => {
            // If standard error is closed, there is no way to report.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(cli: &Cli) -> Result<(), XtaskError> {
    let out = &mut std::io::stdout();
    match &cli.command {
        Command::Ci(args) => ci::run(args, out),
        Command::Tidy(args) => tidy::run(args, out),
        Command::Faults(args) => faults::run(args, out),
        Command::Supply => supply::run(out),
        Command::Python(args) => python::run(args, out),
        Command::Mpi(args) => mpi::run(args, out),
        Command::Experiment(args) => args.run("gp-experiments", &["experiment"]),
        Command::Fuzz(args) => args.run_checked("gp-fuzz"),
        Command::Bench(args) => args.run("gp-benchmarks", &[]),
    }
}
