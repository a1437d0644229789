//! Table files of many formats as named, typed columns.
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

#[cfg(feature = "columnar")]
mod arrow;
mod built_in;
mod cells;
mod column;
mod counted;
mod csv;
mod dates;
mod folder;
mod foreign;
mod format;
mod formats;
mod frame;
#[cfg(feature = "columnar")]
mod guard;
mod heading;
mod idx;
mod input;
mod kinds;
mod libsvm;
mod line_room;
mod listing;
mod notation;
mod npy;
mod npz;
mod options;
#[cfg(feature = "columnar")]
mod pandas;
#[cfg(feature = "columnar")]
mod parquet;
mod pieces;
mod source;
mod spool;
#[cfg(feature = "sqlite")]
mod sqlite;
mod stream;
mod supply;
mod table_room;
#[cfg(feature = "columnar")]
mod units;
#[cfg(feature = "columnar")]
mod wide;

pub use column::{Column, Kind, Values};
pub(crate) use dates::{civil_date, civil_days, is_date_in_digits};
pub use dates::{date_text, days_since_epoch};
pub use format::{Format, MAX_COLUMNS};
pub use formats::Formats;
pub use frame::Frame;
pub(crate) use frame::{FILL_DROP_OR_KEEP, FILL_OR_DROP, list, quoted};
#[cfg(feature = "columnar")]
pub(crate) use guard::silence_foreign_panics;
pub use heading::Heading;
pub(crate) use idx::labels_beside;
pub use input::Input;
pub(crate) use listing::tables as tables_in_folder;
pub use notation::{Lookalike, Notation};
pub(crate) use notation::{are_numbers, is_plain_date};
pub(crate) use options::TARGET;
pub use options::{ReadOptions, TableChoice};
pub use pieces::FrameStream;
pub(crate) use pieces::ROWS_OF_BLOCK;
pub use source::Source;
pub(crate) use spool::{Spool, no_room};
pub(crate) use stream::SHARE_HELD;
pub use stream::Stream;
