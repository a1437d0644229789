//! The error of this program.

use std::error::Error;

/// Whatever keeps a row from running.
pub(crate) type BenchError = Box<dyn Error + Send + Sync>;
