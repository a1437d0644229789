//! The `gp` command: files in; models, predictions and reports out.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod arguments;
pub mod demo;
mod error;
pub mod files;
pub mod metrics;
pub mod model;
pub mod notes;
pub mod standardise;
pub mod table;

pub use error::{CliError, ErrorKind};

use clap::Parser;
use notes::Notes;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Runs the command of this process's arguments and streams.
pub fn main() -> ExitCode {
    ExitCode::from(run(std::env::args_os(), &mut std::io::stdout(), &mut std::io::stderr()))
}

/// Runs a command line, the program's name first: data to `out`, everything else to `err`. Returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let arguments = match arguments::Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(refusal) => return show_refusal(&refusal, out, err),
    };
    let outcome = match &arguments.command {
        arguments::Command::Demo(options) => demo::run(options, out, &mut Notes::new(err, options.quiet)),
    };
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            // With stderr gone there is nobody left to tell.
            let _ = writeln!(err, "error: {}", error.with_causes());
            error.kind().exit_code()
        }
    }
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
