//! The formats of this crate: a new one is a file beside this one and a line here.

use super::writers::Writers;
use super::{arrow, csv, jsonl, parquet};
use std::sync::Arc;

impl Writers {
    /// The formats of this crate.
    #[must_use]
    pub fn built_in() -> Self {
        Self::new(Arc::new(csv::Csv::Commas))
            .with(Arc::new(csv::Csv::Tabs))
            .with(Arc::new(jsonl::JsonLines))
            .with(Arc::new(parquet::Parquet))
            .with(Arc::new(arrow::ArrowFile))
    }
}
