//! `cargo xtask faults`: the `gp` command under kills, signals, limits, full disks and concurrent runs.
//!
//! Each round disturbs a command at a random moment. Outputs must be unchanged or complete, without unfinished files;
//! resumed training must give the same bytes; there must be one message.

mod draw;
mod fault;
mod outcome;
mod round;
mod scenario;
mod workbench;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cargo::{Cargo, CargoCommand};
use crate::error::XtaskError;
use crate::workspace;
use outcome::Tally;
use workbench::Workbench;

pub(crate) const ROUNDS_OF_CI: u64 = 50;

/// Options of `cargo xtask faults`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number of rounds
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    rounds: u64,
    /// Random seed of commands and disturbances
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Test this `gp` instead of the workspace's
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), XtaskError> {
    match &args.program {
        Some(program) => play(program, args.rounds, args.seed, out),
        None => check(&workspace::root()?, &Cargo::of_this_toolchain(), args.rounds, args.seed, out),
    }
}

/// Builds the command, and runs rounds.
pub(crate) fn check(
    root: &Path,
    cargo: &Cargo,
    rounds: u64,
    seed: u64,
    out: &mut dyn Write,
) -> Result<(), XtaskError> {
    // `--examples` makes cargo include development dependencies, as in other steps.
    const BUILD: &[&str] = &["build", "--quiet", "--workspace", "--all-features", "--bins", "--examples"];
    cargo.run(&CargoCommand::new(BUILD), root)?;
    let own = std::env::current_exe()?;
    play(&own.with_file_name(format!("gp{}", std::env::consts::EXE_SUFFIX)), rounds, seed, out)
}

fn play(program: &Path, rounds: u64, seed: u64, out: &mut dyn Write) -> Result<(), XtaskError> {
    let bench = Workbench::new(program).map_err(|message| XtaskError::Faulty { faults: 1, message })?;
    for (fault, why) in bench.impossible() {
        writeln!(out, "skipped: {} ({why})", fault.name())?;
    }
    let (next, tally) = (AtomicU64::new(0), Mutex::new(Tally::default()));
    // Commands are limited by the disk rather than by processors.
    let workers = std::thread::available_parallelism().map_or(2, usize::from).clamp(2, 8);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= rounds {
                        return;
                    }
                    let played = round::play(&bench, seed, number);
                    tally.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(number, played);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    tally.report(out)?;
    match tally.broken().len() {
        0 => Ok(bench.remove()?),
        faults => Err(XtaskError::Faulty {
            faults,
            message: format!("folders are kept in {}", bench.folder().display()),
        }),
    }
}
