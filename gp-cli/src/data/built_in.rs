//! The formats of this crate: a new one is a file beside this one and a line here.

use super::formats::Formats;
use super::{arrow, csv, idx, libsvm, npy, npz, parquet};
use std::sync::Arc;

impl Formats {
    /// The formats of this crate.
    #[must_use]
    pub fn built_in() -> Self {
        let formats = Self::new(vec![
            Arc::new(csv::Csv),
            Arc::new(parquet::Parquet),
            Arc::new(arrow::ArrowFile),
            Arc::new(npy::Npy),
            Arc::new(npz::Npz),
            Arc::new(idx::Idx),
            Arc::new(libsvm::LibSvm),
        ]);
        #[cfg(feature = "sqlite")]
        let formats = formats.with(Arc::new(super::sqlite::Sqlite));
        formats
    }
}
