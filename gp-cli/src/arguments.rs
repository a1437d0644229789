//! The command line.

use crate::demo::DemoOptions;
use clap::{Parser, Subcommand};

/// Gaussian-process models from the command line.
#[derive(Debug, Parser)]
#[command(name = "gp", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train on data that comes with the program and write a model, predictions and a picture
    Demo(DemoOptions),
}

const EXIT_CODES: &str = "\
Exit codes: 0 success, 2 wrong command line, 3 wrong data, 4 wrong model file, 5 numerical failure, 7 files cannot be \
read or written";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
