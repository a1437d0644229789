//! The `gp` command: reads tables; writes models, predictions and reports.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod arguments;
pub mod commands;
mod config;
mod content;
mod context;
mod course;
pub mod data;
mod digits;
pub mod encode;
mod error;
pub mod evaluate;
pub mod files;
mod fingerprint;
pub mod fit;
#[cfg(test)]
mod foreign;
pub mod fuzzing;
pub mod guide;
mod help;
mod in_step;
mod influence;
mod interrupt;
mod latents;
mod left_out;
mod lengths;
mod line;
mod memory;
pub mod method;
pub mod metrics;
pub mod missing;
pub mod model;
pub mod notes;
pub mod out;
mod own_rows;
mod parts;
pub mod picture;
pub mod predict;
mod rates;
mod row_shares;
mod shown;
pub mod signals;
pub mod stages;
pub mod standardise;
#[cfg(feature = "testkit")]
pub mod testkit;
mod threads;
pub mod update;
mod weighted_rows;

pub use context::Context;
pub use error::{CliError, ErrorKind};
pub use left_out::LeftOut;
pub use memory::{Budget, Limit, OverBudget};

use arguments::Arguments;
use clap::FromArgMatches;
use line::{BehindLine, Line};
use notes::Notes;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Runs this process's command with built-in registries.
pub fn main() -> ExitCode {
    main_with(&Context::built_in())
}

/// [`main`] with registries of `context`.
pub fn main_with(context: &Context) -> ExitCode {
    #[cfg(feature = "columnar")]
    data::silence_foreign_panics();
    let line = Line::on_terminal();
    interrupt::listen(line.clone());
    let code = in_step::run(&context.team, &line, &|out, err, line| {
        run_with(context, std::env::args_os(), out, err, line)
    });
    interrupt::command_is_done();
    code
}

/// Runs a command, returning the exit code. `arguments` begin with the program; data go to `out`, messages to `err`.
pub fn run(
    context: &Context,
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
) -> u8 {
    run_with(context, arguments, out, err, &Line::default())
}

fn run_with(
    context: &Context,
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut (dyn Write + Send),
    err: &mut (dyn Write + Send),
    line: &Line,
) -> u8 {
    let command = arguments::command(context);
    let words = match config::expand(&command, arguments.into_iter().collect()) {
        Ok(words) => words,
        Err(error) => return show_error(&error, err),
    };
    if let Err(error) = in_step::check(context, &words) {
        return show_error(&error, err);
    }
    let parsed = command.try_get_matches_from(words).and_then(|matches| {
        let mut arguments = Arguments::from_arg_matches(&matches)?;
        arguments.command.take_settings(&matches, context);
        Ok(arguments)
    });
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(refusal) => return show_refusal(&refusal, out, err),
    };
    if let Err(error) = threads::start(arguments.threads) {
        return show_error(&error, err);
    }
    let budget = arguments.memory.map_or_else(|| context.budget(), Budget::of_process);
    let context = &context.clone().within(budget);
    let done = threads::within(&context.team, || {
        let mut notes = Notes::new(err, arguments.quiet).with_line(line.clone());
        arguments.command.run(context, &mut BehindLine::new(out, line.clone()), &mut notes)
    });
    line.end();
    match done {
        Ok(()) => 0,
        Err(error) => show_error(&error, err),
    }
}

fn show_error(error: &CliError, err: &mut dyn Write) -> u8 {
    // Errors of other crates may have several lines. A failure to print cannot be reported.
    let line = error.with_causes().split_whitespace().collect::<Vec<_>>().join(" ");
    let line = shown::printable(&line);
    let front = if error.kind() == ErrorKind::Interrupted { "" } else { "error: " };
    let line = format!("{front}{line}\n");
    let _ = interrupt::done_by(|| err.write_all(line.as_bytes()));
    error.kind().exit_code()
}

/// Standard-library messages and replacements.
const OF_NUMBERS: [(&str, &str); 5] = [
    (": invalid digit found in string", ": it must be a whole number of at least 0"),
    (": number too large to fit in target type", ": it is too large"),
    (": number too small to fit in target type", ": it is too small"),
    (": invalid float literal", ": it must be a number"),
    (": cannot parse integer from empty string", ": it must be a whole number"),
];

fn in_plain_words(text: &str) -> String {
    OF_NUMBERS.iter().fold(text.to_owned(), |text, (before, after)| text.replace(before, after))
}

fn show_refusal(refusal: &clap::Error, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let text = refusal.render();
    if refusal.use_stderr() {
        // A failure to print cannot be reported.
        let _ = write!(err, "{}", shown::printable(&in_plain_words(&text.to_string())));
        ErrorKind::Usage.exit_code()
    } else {
        out::print(out, text.to_string().as_bytes()).map_or_else(|error| show_error(&error, err), |()| 0)
    }
}
