//! Missing values: error, dropped or kept, in fits and predictions.

mod choice;
mod rules;

pub use choice::Missing;
pub(crate) use choice::{parse_rule, write_rules};
pub use rules::MissingRules;

use crate::error::{CliError, ErrorKind};

pub(crate) fn none_left(source: &str, rows: usize) -> CliError {
    let what = format!("`{source}`: each of its {rows} rows misses a value; none is left");
    CliError::new(ErrorKind::Data, what)
}
