//! Folders locked for one process.

use super::leftovers::sweep;
use super::onlooker::Onlooker;
#[cfg(unix)]
use super::onlooker::nowhere;
use std::fs;
use std::io;
use std::path::Path;

/// Folder locked by this process; the lock ends with the process.
#[derive(Debug)]
pub struct FolderLock {
    #[cfg(unix)]
    _folder: fs::File,
}

impl FolderLock {
    /// Creates a missing folder, locks it, and removes leftovers of killed processes.
    ///
    /// # Errors
    /// [`io::ErrorKind::ResourceBusy`] if locked by another process; errors of the operating system.
    pub fn take(folder: &Path) -> io::Result<Self> {
        if Onlooker::is_here() {
            return Self::of_nothing();
        }
        fs::create_dir_all(folder)?;
        let lock = Self::of(folder)?;
        sweep(folder);
        Ok(lock)
    }

    /// Lock of an [`Onlooker`], whose folder another process locks.
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

    /// Not supported: folders cannot be opened on this system.
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
