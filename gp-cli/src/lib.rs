//! The `gp` command: files in; models, predictions and reports out.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod arguments;
pub mod commands;
mod config;
mod course;
pub mod data;
pub mod encode;
mod error;
pub mod evaluate;
pub mod files;
pub mod fit;
pub mod fuzzing;
mod interrupt;
mod memory;
pub mod method;
pub mod metrics;
pub mod model;
pub mod notes;
pub mod out;
pub mod picture;
pub mod predict;
pub mod standardise;

pub use error::{CliError, ErrorKind};

use arguments::Arguments;
use clap::Parser;
use notes::Notes;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Runs the command of this process's arguments and streams.
pub fn main() -> ExitCode {
    data::silence_foreign_panics();
    interrupt::listen();
    ExitCode::from(run(std::env::args_os(), &mut std::io::stdout(), &mut std::io::stderr()))
}

/// Runs a command line, the program's name first: data to `out`, everything else to `err`. Returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let arguments = match config::expand(arguments.into_iter().collect()) {
        Ok(arguments) => arguments,
        Err(error) => return show_error(&error, err),
    };
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(refusal) => return show_refusal(&refusal, out, err),
    };
    if let Some(threads) = arguments.threads {
        // A pool that is there already was made by whoever runs commands in a process of their own.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
    }
    match arguments.command.run(out, &mut Notes::new(err, arguments.quiet)) {
        Ok(()) => 0,
        Err(error) => show_error(&error, err),
    }
}

/// One line, and the exit code.
fn show_error(error: &CliError, err: &mut dyn Write) -> u8 {
    // What others say of an error may have lines; ours has one. With stderr gone there is nobody left to tell.
    let line = error.with_causes().split_whitespace().collect::<Vec<_>>().join(" ");
    let front = if error.kind() == ErrorKind::Interrupted { "" } else { "error: " };
    let _ = writeln!(err, "{front}{line}");
    error.kind().exit_code()
}

/// Help and version go to stdout and are no error; a wrong command line goes to stderr.
fn show_refusal(refusal: &clap::Error, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let text = refusal.render();
    // A closed stream is not worth another error.
    if refusal.use_stderr() {
        let _ = write!(err, "{text}");
        ErrorKind::Usage.exit_code()
    } else {
        let _ = write!(out, "{text}");
        0
    }
}
