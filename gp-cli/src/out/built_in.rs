//! Formats of this crate. To add one, add a file beside this one and a line here.

use super::writers::Writers;
use super::{csv, jsonl};
use std::sync::Arc;

impl Writers {
    /// The formats of this crate.
    #[must_use]
    pub fn built_in() -> Self {
        let writers = Self::new(Arc::new(csv::Csv::Commas))
            .with(Arc::new(csv::Csv::Tabs))
            .with(Arc::new(jsonl::JsonLines));
        #[cfg(feature = "columnar")]
        let writers = writers.with(Arc::new(super::parquet::Parquet)).with(Arc::new(super::arrow::ArrowFile));
        writers
    }
}
