//! Check sum of the content of input files.

use crate::data::tables_in_folder;
use crate::error::CliError;
use crate::fingerprint::{BEGIN, step};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Bytes read at once, a multiple of eight.
const AT_ONCE: usize = 1 << 18;
/// Length and check sum of a file, or of the tables of a folder with their names. None for a pipe, which can be read
/// once only.
///
/// # Errors
/// [`Io`](crate::ErrorKind::Io) if it cannot be read.
pub(crate) fn content_mark(path: &Path) -> Result<Option<String>, CliError> {
    let mut mark = ContentMark { bytes: 0, sum: BEGIN };
    let about = fs::metadata(path).map_err(|cause| CliError::io("read", path, cause))?;
    if about.is_dir() {
        for table in tables_in_folder(&path.to_string_lossy())? {
            mark.add(table.file_name().unwrap_or_default().as_encoded_bytes());
            mark.file(&table)?;
        }
    } else if about.is_file() {
        mark.file(path)?;
    } else {
        return Ok(None);
    }
    Ok(Some(format!("{} bytes, check sum {:016x}", mark.bytes, mark.sum)))
}

struct ContentMark {
    bytes: u64,
    sum: u64,
}

impl ContentMark {
    fn file(&mut self, path: &Path) -> Result<(), CliError> {
        let failed = |cause| CliError::io("read", path, cause);
        let mut from = File::open(path).map_err(failed)?;
        let mut buffer = vec![0; AT_ONCE];
        loop {
            // A short read in the middle would shift the words of the sum.
            let mut filled = 0;
            while filled < AT_ONCE {
                match from.read(&mut buffer[filled..]) {
                    Ok(0) => break,
                    Ok(count) => filled += count,
                    Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                    Err(cause) => return Err(failed(cause)),
                }
            }
            if filled == 0 {
                return Ok(());
            }
            self.add(&buffer[..filled]);
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        for word in bytes.chunks(8) {
            let mut padded = [0; 8];
            padded[..word.len()].copy_from_slice(word);
            self.sum = step(self.sum, u64::from_le_bytes(padded));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::write;

    #[test]
    fn any_other_byte_or_name_changes_the_mark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut bytes = vec![7; AT_ONCE + 5];
        let mark = |bytes: &[u8]| {
            write(&path, bytes).unwrap();
            [content_mark(&path), content_mark(folder.path())].map(|mark| mark.unwrap().unwrap())
        };
        let before = mark(&bytes);
        assert!(before[0].starts_with("262149 bytes, check sum "), "{}", before[0]);
        assert_eq!(mark(&bytes), before);
        for place in [0, 9, AT_ONCE - 1, AT_ONCE, AT_ONCE + 4] {
            bytes[place] = 8;
            let other = mark(&bytes);
            assert!(other[0] != before[0] && other[1] != before[1], "byte {place}");
            bytes[place] = 7;
        }
        assert!(mark(&bytes[1..])[0] != before[0]);
        assert!(content_mark(&folder.path().join("none")).is_err());
    }
}
