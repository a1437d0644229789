//! The formats of this crate: a new one is a file beside this one and a line here.

use super::writers::Writers;
use super::{csv, jsonl, parquet};
use std::sync::Arc;

impl Writers {
    /// The formats of this crate.
    #[must_use]
    pub fn built_in() -> Self {
        Self::new(Arc::new(csv::Csv)).with(Arc::new(jsonl::JsonLines)).with(Arc::new(parquet::Parquet))
    }
}
