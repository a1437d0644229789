//! Where bytes come from: files, standard input, either compressed by gzip.

use crate::error::{CliError, ErrorKind};
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::path::Path;

/// The first bytes of everything that gzip made.
pub(super) const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file in memory, unpacked, with the name that errors call it.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    bytes: Vec<u8>,
}

impl Source {
    /// Reads a file, or standard input where the path is `-`, and unpacks what gzip packed.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) where it cannot be read, of kind [`Data`](ErrorKind::Data) for damaged gzip data
    /// and for nothing at all.
    pub fn open(path: &str) -> Result<Self, CliError> {
        if path == "-" {
            let mut bytes = Vec::new();
            std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot read the standard input", cause))?;
            return Self::from_bytes("standard input", bytes);
        }
        let bytes = std::fs::read(path).map_err(|cause| CliError::io("read", Path::new(path), cause))?;
        Self::from_bytes(path, bytes)
    }

    /// Bytes as they stand in a file of this name.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, CliError> {
        let name = name.to_owned();
        let bytes = if bytes.starts_with(&GZIP) { unpacked(&name, &bytes)? } else { bytes };
        if bytes.is_empty() {
            return Err(CliError::new(ErrorKind::Data, format!("`{name}` is empty")));
        }
        Ok(Self { name, bytes })
    }

    /// What errors call it: the path as it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The content, unpacked.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The end of the name after its last dot, in small letters, `gz` left out; empty where there is none.
    #[must_use]
    pub fn extension(&self) -> String {
        extension_of(&self.name)
    }

    /// An error about the content.
    #[must_use]
    pub fn fault(&self, what: impl std::fmt::Display) -> CliError {
        CliError::new(ErrorKind::Data, format!("`{}`{what}", self.name))
    }
}

/// The end of a name after its last dot, in small letters, `gz` left out.
pub(super) fn extension_of(name: &str) -> String {
    let name = name.strip_suffix(".gz").unwrap_or(name);
    Path::new(name).extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Gzip data that cannot be unpacked.
pub(super) fn damaged_gzip(name: &str, cause: std::io::Error) -> CliError {
    let message = format!("`{name}` is a damaged or truncated gzip file; fetch or pack it again");
    CliError::caused(ErrorKind::Data, message, cause)
}

fn unpacked(name: &str, bytes: &[u8]) -> Result<Vec<u8>, CliError> {
    let mut out = Vec::new();
    MultiGzDecoder::new(bytes).read_to_end(&mut out).map_err(|cause| damaged_gzip(name, cause))?;
    Ok(out)
}
