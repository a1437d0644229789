//! Failed inputs, shortened and saved.

use crate::error::FuzzError;
use crate::watched::Watched;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

const MAX_TRIES: usize = 500;

/// Message without digits and quotations; at most 200 characters.
pub(crate) fn skeleton(message: &str) -> String {
    let mut parts = message.split(['`', '"', '\'']);
    let outside: String = std::iter::from_fn(|| {
        let outside = parts.next()?;
        parts.next();
        Some(outside)
    })
    .collect();
    outside.chars().filter(|letter| !letter.is_ascii_digit()).take(200).collect()
}

/// Shorter input with equal failure; timeouts stay unchanged.
pub(crate) fn shortened(watched: &Watched, bytes: &[u8], what: &str) -> Vec<u8> {
    if what.starts_with("it took") {
        return bytes.to_vec();
    }
    let (wanted, mut least, mut tries) = (skeleton(what), bytes.to_vec(), 0);
    let mut size = least.len() / 2;
    while size > 0 && tries < MAX_TRIES {
        let mut at = 0;
        while at < least.len() && tries < MAX_TRIES {
            let mut shorter = least.clone();
            shorter.drain(at..(at + size).min(least.len()));
            tries += 1;
            match watched.read(&shorter) {
                Err(what) if skeleton(&what) == wanted => least = shorter,
                _ => at += size,
            }
        }
        size /= 2;
    }
    least
}

/// Saves an input as `READER-HASH`.
pub(crate) fn save(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, FuzzError> {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let path = folder.join(format!("{name}-{:016x}", hasher.finish()));
    fs::write(&path, bytes).map_err(|source| FuzzError::Unwritable { path: path.clone(), source })?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_one_kind_are_the_same() {
        assert_eq!(skeleton("`a`, line 12: `x` is no number"), skeleton("`b`, line 3: `` is no number"));
        assert_ne!(skeleton("line 1: not UTF-8"), skeleton("line 1: ragged"));
    }
}
