//! Tables in: files of many formats as columns with names and types.
//!
//! ```
//! use gp_cli::data::{Formats, Kind, ReadOptions, Source};
//!
//! let text = "when;colour;y\n2024-01-01;red;1.5\n2024-01-03;blue;-2\n";
//! let source = Source::from_bytes("some.csv", text.as_bytes().to_vec())?;
//! let frame = Formats::built_in().read(&source, &ReadOptions::default())?;
//! assert_eq!(frame.names(), ["when", "colour", "y"]);
//! let kinds: Vec<Kind> = frame.columns().iter().map(|column| column.kind()).collect();
//! assert_eq!(kinds, [Kind::Date, Kind::Category, Kind::Number]);
//! assert_eq!(frame.column("y").unwrap().numbers(), Some([1.5, -2.0].as_slice()));
//! # Ok::<(), gp_cli::CliError>(())
//! ```

mod arrow;
mod arrow_sizes;
mod cells;
mod column;
mod csv;
mod format;
mod frame;
mod guard;
mod idx;
mod libsvm;
mod npy;
mod npz;
mod parquet;
mod pieces;
mod source;
mod supply;

pub use cells::days_since_epoch;
pub use column::{Column, Kind, Values};
pub use format::{Format, Formats, MAX_COLUMNS, ReadOptions};
pub use frame::Frame;
pub(crate) use guard::silence_foreign_panics;
pub use pieces::Pieces;
pub use source::Source;
pub use supply::Input;
pub(crate) use supply::{no_room, unnamed};

use crate::error::CliError;

/// Reads a table from a file, or from standard input where the path is `-`.
///
/// # Errors
/// Of kind [`Io`](crate::ErrorKind::Io) where the file cannot be read, otherwise of kind
/// [`Data`](crate::ErrorKind::Data) with the place.
pub fn read(path: &str, options: &ReadOptions) -> Result<Frame, CliError> {
    Formats::built_in().read(&Source::open(path)?, options)
}
