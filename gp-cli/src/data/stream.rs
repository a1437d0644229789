//! Choice between rows in memory and in a file.

use super::formats::Formats;
use super::input::Input;
use crate::error::CliError;
use clap::ValueEnum;

/// Maximum share of free memory per table.
pub(crate) const SHARE_HELD: f64 = 0.5;
/// Share of remaining memory for pipes.
const SHARE_OF_PIPE: f64 = 0.05;

/// Location of rows in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stream {
    /// In memory, unless the table needs more than half of the free memory
    Auto,
    /// In a file
    Always,
    /// In memory
    Never,
}

impl Stream {
    /// Opens a table; limits piped input.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn open(self, path: &str, formats: &Formats) -> Result<Input, CliError> {
        let share = match self {
            Self::Never => SHARE_HELD,
            Self::Always => 0.0,
            Self::Auto => SHARE_OF_PIPE,
        };
        formats.input(path, share)
    }
}
