//! Missing values of a table: an error, dropped rows, or kept. Fits and predictions share these rules.

mod choice;
mod rules;

pub use choice::Missing;
pub(crate) use choice::{parse_rule, write_rules};
pub use rules::MissingRules;

use crate::error::{CliError, ErrorKind};

/// Error for a table without remaining rows.
pub(crate) fn none_left(source: &str, rows: usize) -> CliError {
    let what = format!("`{source}`: each of its {rows} rows misses a value; none is left");
    CliError::new(ErrorKind::Data, what)
}
