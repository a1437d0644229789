//! Built-in output formats: one line per file.

use super::writers::Writers;
use super::{csv, jsonl};
use std::sync::Arc;

impl Writers {
    /// Formats of this crate.
    #[must_use]
    pub fn built_in() -> Self {
        let writers = Self::new(Arc::new(csv::TextWriter::Commas))
            .with(Arc::new(csv::TextWriter::Tabs))
            .with(Arc::new(jsonl::JsonLines));
        #[cfg(feature = "columnar")]
        let writers =
            writers.with(Arc::new(super::parquet::ParquetWriter)).with(Arc::new(super::arrow::ArrowWriter));
        writers
    }
}
