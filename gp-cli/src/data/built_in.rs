//! Built-in formats: one line per file.

use super::format::Format;
use super::formats::Formats;
use super::{csv, idx, libsvm, npy, npz};
use std::sync::Arc;

impl Formats {
    /// Every format of this build.
    #[must_use]
    pub fn built_in() -> Self {
        let mut known: Vec<Arc<dyn Format>> = vec![Arc::new(csv::Csv)];
        #[cfg(feature = "columnar")]
        known.extend::<[Arc<dyn Format>; 2]>([
            Arc::new(super::parquet::Parquet),
            Arc::new(super::arrow::ArrowFile),
        ]);
        known.extend::<[Arc<dyn Format>; 4]>([
            Arc::new(npy::Npy),
            Arc::new(npz::Npz),
            Arc::new(idx::Idx),
            Arc::new(libsvm::LibSvm),
        ]);
        let formats = Self::new(known);
        #[cfg(feature = "sqlite")]
        let formats = formats.with(Arc::new(super::sqlite::Sqlite));
        formats
    }
}
