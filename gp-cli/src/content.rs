//! Checksum of input files.

use crate::data::tables_in_folder;
use crate::error::CliError;
use crate::fingerprint::{BEGIN, step};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes per block, a multiple of eight.
const AT_ONCE: u64 = 1 << 18;
/// Maximum blocks per file: every process reads them.
const BLOCKS: u64 = 256;

/// Length and checksum of a file, or of each table in a folder, with its name; None for pipes. Beyond 64 MiB, only 256
/// equally spaced blocks count, both ends included.
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
        let size = from.metadata().map_err(failed)?.len();
        self.bytes += size;
        let mut buffer = vec![0; AT_ONCE as usize];
        for start in block_starts(size) {
            from.seek(SeekFrom::Start(start)).map_err(failed)?;
            let filled = fill(&mut from, &mut buffer).map_err(failed)?;
            self.add(&buffer[..filled]);
        }
        Ok(())
    }

    fn add(&mut self, bytes: &[u8]) {
        for word in bytes.chunks(8) {
            let mut padded = [0; 8];
            padded[..word.len()].copy_from_slice(word);
            self.sum = step(self.sum, u64::from_le_bytes(padded));
        }
    }
}

fn block_starts(size: u64) -> impl Iterator<Item = u64> {
    let blocks = size.div_ceil(AT_ONCE);
    let last = size.saturating_sub(AT_ONCE);
    (0..blocks.min(BLOCKS)).map(move |block| {
        if blocks <= BLOCKS {
            block * AT_ONCE
        } else {
            (last as u128 * u128::from(block) / u128::from(BLOCKS - 1)) as u64
        }
    })
}

/// Fills the buffer: short reads would shift words.
fn fill(from: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(cause),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::write;

    #[test]
    fn any_other_byte_or_name_changes_the_mark() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        let mut bytes = vec![7; AT_ONCE as usize + 5];
        let mark = |bytes: &[u8]| {
            write(&path, bytes).unwrap();
            [content_mark(&path), content_mark(folder.path())].map(|mark| mark.unwrap().unwrap())
        };
        let before = mark(&bytes);
        assert!(before[0].starts_with("262149 bytes, check sum "), "{}", before[0]);
        assert_eq!(mark(&bytes), before);
        let end = AT_ONCE as usize;
        for place in [0, 9, end - 1, end, end + 4] {
            bytes[place] = 8;
            let other = mark(&bytes);
            assert!(other[0] != before[0] && other[1] != before[1], "byte {place}");
            bytes[place] = 7;
        }
        assert!(mark(&bytes[1..])[0] != before[0]);
        assert!(content_mark(&folder.path().join("none")).is_err());
    }

    #[test]
    fn long_files_are_read_in_part_up_to_their_ends() {
        let all = BLOCKS * AT_ONCE;
        for size in [0, 1, AT_ONCE, AT_ONCE + 1, all] {
            let starts: Vec<u64> = block_starts(size).collect();
            assert_eq!(starts, (0..size.div_ceil(AT_ONCE)).map(|block| block * AT_ONCE).collect::<Vec<_>>());
        }
        for size in [all + 1, 1000 * all + 7, u64::MAX] {
            let starts: Vec<u64> = block_starts(size).collect();
            assert_eq!((starts.len() as u64, starts[0]), (BLOCKS, 0));
            assert_eq!(starts.last(), Some(&(size - AT_ONCE)));
            assert!(starts.is_sorted());
        }
    }
}
