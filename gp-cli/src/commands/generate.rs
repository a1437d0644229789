//! `gp generate`: the manual page and completions, from the same definitions as the command line.

use crate::arguments::Arguments;
use crate::error::{CliError, ErrorKind};
use crate::out;
use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;
use std::io::Write;

/// Options of `gp generate`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct GenerateOptions {
    /// What to write to the standard output
    #[arg(value_enum)]
    pub what: Generated,
}

/// What there is to be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Generated {
    /// Manual page
    Man,
    /// Completions for bash
    Bash,
    /// Completions for zsh
    Zsh,
    /// Completions for fish
    Fish,
}

/// Writes it.
///
/// # Errors
/// Of kind [`Io`](ErrorKind::Io).
pub fn run(options: &GenerateOptions, out: &mut dyn Write) -> Result<(), CliError> {
    let mut command = Arguments::command();
    let mut bytes = Vec::new();
    let shell = match options.what {
        Generated::Man => {
            let failed = |cause| CliError::caused(ErrorKind::Io, "cannot write the manual page", cause);
            clap_mangen::Man::new(command).render(&mut bytes).map_err(failed)?;
            return out::print(out, &bytes);
        }
        Generated::Bash => Shell::Bash,
        Generated::Zsh => Shell::Zsh,
        Generated::Fish => Shell::Fish,
    };
    clap_complete::generate(shell, &mut command, "gp", &mut bytes);
    out::print(out, &bytes)
}
