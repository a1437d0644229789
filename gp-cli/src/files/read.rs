//! Size-limited reading of all files but tables.

use crate::memory::{Budget, OverBudget};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Minimum buffer growth in bytes.
const LEAST: u64 = 1 << 12;
/// Reciprocal of buffer growth.
const GROWTH: u64 = 4;

#[derive(Debug)]
pub(crate) enum Unread {
    Refused(io::Error),
    TooLarge(OverBudget),
}

impl From<io::Error> for Unread {
    fn from(cause: io::Error) -> Self {
        Self::Refused(cause)
    }
}

/// `None` if longer than `most` bytes or endless.
pub(crate) fn read_at_most(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// Reads a file (`what` in errors) if `copies` times its size fits; pipes and devices are counted while read.
pub(crate) fn read_within(
    path: &Path,
    (budget, copies): (Budget, f64),
    what: &str,
) -> Result<Vec<u8>, Unread> {
    let mut file = File::open(path)?;
    let (mut room, mut bytes, mut counted) = (budget.room(), Vec::new(), 0);
    let mut more = file.metadata()?.len();
    loop {
        room.take(copies * more as f64, || what.to_owned(), "").map_err(Unread::TooLarge)?;
        counted += more;
        // One byte beyond shows whether there is more.
        let most = counted + 1 - bytes.len() as u64;
        (&mut file).take(most).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= counted {
            return Ok(bytes);
        }
        more = (counted / GROWTH).max(LEAST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_to_their_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for length in [0, 1, 4095, 4096, 4097, 100_000] {
            let bytes: Vec<u8> = (0..length).map(|i| i as u8).collect();
            std::fs::write(&path, &bytes).unwrap();
            let within = |budget| read_within(&path, (Budget::of(budget), 2.0), "a file");
            assert!(within(2 * length as u64).is_ok_and(|read| read == bytes), "{length}");
            assert!(length == 0 || matches!(within(2 * length as u64 - 1), Err(Unread::TooLarge(_))));
            assert!(read_at_most(&path, length as u64).unwrap().is_some_and(|read| read == bytes));
            assert!(length == 0 || read_at_most(&path, length as u64 - 1).unwrap().is_none());
        }
        let missing = read_within(&folder.path().join("b"), (Budget::of(0), 1.0), "a file");
        assert!(matches!(missing, Err(Unread::Refused(cause)) if cause.kind() == io::ErrorKind::NotFound));
    }

    #[cfg(unix)]
    #[test]
    fn files_without_an_end_are_refused() {
        let zero = Path::new("/dev/zero");
        let Err(Unread::TooLarge(over)) = read_within(zero, (Budget::of(1_000_000), 2.0), "a file") else {
            panic!("it has an end");
        };
        assert!(over.to_string().starts_with("a file needs 1 MB or more"), "{over}");
        assert!(read_at_most(zero, 100_000).unwrap().is_none());
    }
}
