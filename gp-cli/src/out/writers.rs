//! The formats that a program writes tables in.

use super::format::TableFormat;
use crate::error::CliError;
use std::path::Path;
use std::sync::Arc;

/// A list of formats to write, to which programs add their own. Tables for the standard output are written in the first.
#[derive(Clone, Debug)]
pub struct Writers {
    first: Arc<dyn TableFormat>,
    others: Vec<Arc<dyn TableFormat>>,
}

impl Writers {
    /// A list of one format.
    #[must_use]
    pub fn new(first: Arc<dyn TableFormat>) -> Self {
        Self { first, others: Vec::new() }
    }

    /// Adds a format, which has the ends of names that it shares with others.
    #[must_use]
    pub fn with(mut self, format: Arc<dyn TableFormat>) -> Self {
        self.others.insert(0, format);
        self
    }

    /// The format of tables for the standard output.
    #[must_use]
    pub fn first(&self) -> Arc<dyn TableFormat> {
        self.first.clone()
    }

    /// The ends of names of all files that can be written, with their dots.
    #[must_use]
    pub fn extensions(&self) -> Vec<String> {
        let others = self.others.iter().rev();
        let all = std::iter::once(&self.first).chain(others).flat_map(|format| format.extensions());
        all.map(|end| format!(".{end}")).collect()
    }

    /// The format that the end of a file's name asks for.
    ///
    /// # Errors
    /// Of kind [`Usage`](crate::ErrorKind::Usage), with the ends there are.
    pub fn of(&self, path: &Path) -> Result<Arc<dyn TableFormat>, CliError> {
        let end = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
        let mut all = self.others.iter().chain([&self.first]);
        all.find(|format| format.extensions().contains(&end.as_str())).cloned().ok_or_else(|| {
            CliError::usage(format!("`{}` ends in none of {}", path.display(), self.extensions().join(", ")))
        })
    }
}
