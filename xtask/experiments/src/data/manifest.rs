//! Manifest of the data folder: sizes, checksums, origins.

use crate::error::ExperimentError;
use gp_cli::files;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

const MANIFEST: &str = include_str!("../../data/manifest.json");
const PATIENCE: Duration = Duration::from_secs(60);

/// File in the data folder.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Entry {
    /// Path within the folder, with `/`.
    pub file: String,
    /// Length in bytes.
    pub bytes: u64,
    /// Hexadecimal SHA-256.
    pub sha256: String,
    /// Number of table rows.
    pub rows: Option<u64>,
    /// Public origin and derivation.
    pub source: String,
    /// Published address; None if derived.
    #[serde(default)]
    pub address: Option<String>,
}

/// State of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Present and correct.
    Right,
    /// Absent.
    Missing,
    /// Wrong, with a reason.
    Wrong(String),
}

/// Built-in manifest.
///
/// # Errors
/// Damaged manifest.
pub fn manifest() -> Result<Vec<Entry>, ExperimentError> {
    serde_json::from_str(MANIFEST).map_err(|cause| ExperimentError::Files(format!("manifest.json: {cause}")))
}

impl Entry {
    /// Checks the file.
    ///
    /// # Errors
    /// Unreadable file.
    pub fn state(&self, folder: &Path) -> Result<State, ExperimentError> {
        let path = folder.join(&self.file);
        match File::open(&path).and_then(digest) {
            Ok(found) => Ok(self.compare(&found)),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(State::Missing),
            Err(cause) => Err(ExperimentError::NoData { path, cause }),
        }
    }

    /// File address on `server`, else its own.
    #[must_use]
    pub fn address_on(&self, server: Option<&str>) -> Option<String> {
        let on = |server: &str| format!("{}/{}", server.trim_end_matches('/'), self.file);
        server.map(on).or_else(|| self.address.clone())
    }

    /// Downloads, verifies, and writes atomically.
    ///
    /// # Errors
    /// Failed download or write, or wrong checksum.
    pub fn fetch(&self, address: &str, folder: &Path) -> Result<(), ExperimentError> {
        let failed = |cause: &dyn std::fmt::Display| ExperimentError::Fetch {
            address: address.to_owned(),
            what: cause.to_string(),
        };
        let agent: ureq::Agent =
            ureq::Agent::config_builder().timeout_recv_response(Some(PATIENCE)).build().into();
        let mut answer = agent.get(address).call().map_err(|cause| failed(&cause))?;
        let mut bytes = Vec::new();
        // Reads one byte more than expected, to detect a longer file.
        let body = answer.body_mut().as_reader();
        body.take(self.bytes + 1).read_to_end(&mut bytes).map_err(|cause| failed(&cause))?;
        if let State::Wrong(why) = self.compare(&of_bytes(&bytes)) {
            return Err(failed(&why));
        }
        let path = folder.join(&self.file);
        let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str()))
        else {
            return Err(failed(&"it is no name of a file"));
        };
        files::make_writable_folder(parent)?;
        files::write_whole(parent, name, &bytes)?;
        Ok(())
    }

    fn compare(&self, found: &(u64, String)) -> State {
        let (bytes, sha256) = found;
        if *bytes != self.bytes {
            State::Wrong(format!("it has {bytes} bytes instead of {}", self.bytes))
        } else if *sha256 != self.sha256 {
            State::Wrong(format!("its SHA-256 is {sha256} instead of {}", self.sha256))
        } else {
            State::Right
        }
    }
}

fn digest(mut file: File) -> io::Result<(u64, String)> {
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 16]);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((bytes, hex(&hash.finalize())));
        }
        hash.update(&buffer[..read]);
        bytes += read as u64;
    }
}

fn of_bytes(bytes: &[u8]) -> (u64, String) {
    (bytes.len() as u64, hex(&Sha256::digest(bytes)))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_whole_and_names_what_items_need() {
        let all = manifest().unwrap();
        assert!(
            all.iter().all(|entry| entry.sha256.len() == 64 && entry.bytes > 0 && !entry.source.is_empty())
        );
        for item in crate::items::ITEMS {
            for file in item.needs() {
                assert!(all.iter().any(|entry| entry.file == file), "{} needs {file}", item.name());
            }
        }
    }

    #[test]
    fn a_file_is_right_missing_or_wrong() {
        let folder = tempfile::tempdir().unwrap();
        // SHA-256 of "abc", from the standard.
        let entry = Entry {
            file: "a.csv".to_owned(),
            bytes: 3,
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned(),
            rows: None,
            source: String::new(),
            address: None,
        };
        assert_eq!(entry.state(folder.path()).unwrap(), State::Missing);
        std::fs::write(folder.path().join("a.csv"), "abc").unwrap();
        assert_eq!(entry.state(folder.path()).unwrap(), State::Right);
        std::fs::write(folder.path().join("a.csv"), "abd").unwrap();
        assert!(matches!(entry.state(folder.path()).unwrap(), State::Wrong(why) if why.contains("SHA-256")));
        std::fs::write(folder.path().join("a.csv"), "ab").unwrap();
        assert!(matches!(entry.state(folder.path()).unwrap(), State::Wrong(why) if why.contains("2 bytes")));
    }
}
