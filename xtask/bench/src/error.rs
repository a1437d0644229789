//! Error of this program.

use std::error::Error;

/// Error of a row.
pub(crate) type BenchError = Box<dyn Error + Send + Sync>;
