//! Registry of output formats.

use super::format::TableFormat;
use super::gzip::{self, Gzip};
use crate::error::CliError;
use std::path::Path;
use std::sync::Arc;

/// Formats; the first is for standard output.
#[derive(Clone, Debug)]
pub struct Writers {
    first: Arc<dyn TableFormat>,
    others: Vec<Arc<dyn TableFormat>>,
}

impl Writers {
    /// Registry of one format.
    #[must_use]
    pub fn new(first: Arc<dyn TableFormat>) -> Self {
        Self { first, others: Vec::new() }
    }

    /// Adds a format, which takes over shared extensions.
    #[must_use]
    pub fn with(mut self, format: Arc<dyn TableFormat>) -> Self {
        self.others.insert(0, format);
        self
    }

    /// Format of standard output.
    #[must_use]
    pub fn first(&self) -> Arc<dyn TableFormat> {
        self.first.clone()
    }

    /// With dots; then those of gzip-compressed text.
    #[must_use]
    pub fn extensions(&self) -> Vec<String> {
        let ends = |format: &Arc<dyn TableFormat>| format.extensions().to_vec();
        let plain = self.all().flat_map(ends).map(|end| format!(".{end}"));
        let texts = self.all().filter(|format| gzip::is_text(format.as_ref())).flat_map(ends);
        plain.chain(texts.map(|end| format!(".{end}.{}", gzip::EXTENSION))).collect()
    }

    /// By file extension; final `.gz` compresses text.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage), listing the extensions.
    pub fn of(&self, path: &Path) -> Result<Arc<dyn TableFormat>, CliError> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let mut ends = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
        // Names may contain other dots: the last extension is tried, then the last two of a compressed file.
        ends.find_map(|end| self.named(end).ok()).ok_or_else(|| {
            CliError::usage(format!("`{}` ends in none of {}", path.display(), self.extensions().join(", ")))
        })
    }

    /// By extension such as `csv` or `csv.gz`, case-insensitive.
    ///
    /// # Errors
    /// [`Usage`](crate::ErrorKind::Usage), listing the extensions.
    pub fn named(&self, name: &str) -> Result<Arc<dyn TableFormat>, CliError> {
        let name = &name.to_lowercase();
        let packed = name.strip_suffix(gzip::EXTENSION).and_then(|front| front.strip_suffix('.'));
        let found = match packed {
            Some(end) => {
                self.by_end(end).and_then(|format| Some(Arc::new(Gzip::of(format)?) as Arc<dyn TableFormat>))
            }
            None => self.by_end(name),
        };
        found.ok_or_else(|| {
            let all: Vec<String> =
                self.extensions().iter().map(|end| end.trim_start_matches('.').to_owned()).collect();
            CliError::usage(format!("no format `{name}` to write; there are {}", all.join(", ")))
        })
    }

    /// Last added format with this extension.
    fn by_end(&self, end: &str) -> Option<Arc<dyn TableFormat>> {
        self.others.iter().chain([&self.first]).find(|format| format.extensions().contains(&end)).cloned()
    }

    fn all(&self) -> impl Iterator<Item = &Arc<dyn TableFormat>> {
        std::iter::once(&self.first).chain(self.others.iter().rev())
    }
}
