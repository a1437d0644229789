//! File in memory.

use super::supply::Supply;
use crate::error::{CliError, ErrorKind};
use crate::memory::Budget;
use std::io::Read;
use std::path::Path;

pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Unpacked file content.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    bytes: Vec<u8>,
    budget: Budget,
}

impl Source {
    pub(super) fn new(name: String, bytes: Vec<u8>, budget: Budget) -> Self {
        Self { name, bytes, budget }
    }

    /// Name in errors: the given path.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Unpacked content.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Memory limit of tables.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Lower-case, without `gz`; empty if none.
    #[must_use]
    pub fn extension(&self) -> String {
        extension_of(&self.name)
    }

    /// Error about the content.
    #[must_use]
    pub fn fault(&self, what: impl std::fmt::Display) -> CliError {
        CliError::new(ErrorKind::Data, format!("`{}`{what}", self.name))
    }
}

impl Supply for Source {
    fn name(&self) -> &str {
        self.name()
    }

    fn reader(&self) -> Result<Box<dyn Read + '_>, CliError> {
        Ok(Box::new(self.bytes()))
    }

    fn reader_at(&self, at: u64) -> Result<Box<dyn Read + '_>, CliError> {
        Ok(Box::new(self.bytes.get(at as usize..).unwrap_or_default()))
    }

    fn budget(&self) -> Budget {
        self.budget()
    }
}

pub(super) fn extension_of(name: &str) -> String {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    Path::new(name).extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default()
}

pub(super) fn damaged_gzip(name: &str, cause: std::io::Error) -> CliError {
    let message = format!("`{name}` is a damaged or truncated gzip file; fetch or pack it again");
    CliError::caused(ErrorKind::Data, message, cause)
}
