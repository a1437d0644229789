//! Folders locked for one process.

use super::leftovers::sweep;
use super::onlooker::DiscardedWrites;
#[cfg(unix)]
use super::onlooker::nowhere;
use std::fs;
use std::io;
use std::path::Path;

/// Folder lock until drop or process end.
#[derive(Debug)]
pub struct FolderLock {
    #[cfg(unix)]
    _folder: fs::File,
}

impl FolderLock {
    /// Creates, locks and [`sweep`]s a folder.
    ///
    /// # Errors
    /// [`io::ErrorKind::ResourceBusy`] if locked; system errors.
    pub fn take(folder: &Path) -> io::Result<Self> {
        if DiscardedWrites::is_here() {
            return Self::of_nothing();
        }
        fs::create_dir_all(folder)?;
        let lock = Self::of(folder)?;
        sweep(folder);
        Ok(lock)
    }

    #[cfg(unix)]
    fn of_nothing() -> io::Result<Self> {
        Ok(Self { _folder: nowhere()? })
    }

    #[cfg(not(unix))]
    fn of_nothing() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(unix)]
    fn of(folder: &Path) -> io::Result<Self> {
        use super::held::{Lock, busy, lock_soon};
        use super::place::is_at;
        let file = fs::File::open(fs::canonicalize(folder)?)?;
        match lock_soon(&file) {
            Lock::Busy => Err(busy()),
            // The last owner has just removed the folder.
            Lock::Taken if !is_at(&file, &fs::canonicalize(folder)?) => Err(io::ErrorKind::NotFound.into()),
            // Without support for locks, processes cannot detect each other.
            Lock::Taken | Lock::Unknown => Ok(Self { _folder: file }),
        }
    }

    /// No lock: folders cannot be opened here.
    #[cfg(not(unix))]
    fn of(_: &Path) -> io::Result<Self> {
        Ok(Self {})
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_for_one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        let lock = FolderLock::take(&path).unwrap();
        let refused = FolderLock::take(&path).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ResourceBusy);
        drop(lock);
        FolderLock::take(&path).unwrap();
    }
}
