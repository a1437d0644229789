//! Error of this program.

use std::error::Error;

pub(crate) type BenchError = Box<dyn Error + Send + Sync>;
