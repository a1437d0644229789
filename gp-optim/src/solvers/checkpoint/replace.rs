//! Files that are replaced whole or not at all.

use super::CheckpointError;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces the contents of a file: whoever opens the path finds the old bytes or the new ones, never a part,
/// also after the machine has lost its power.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), CheckpointError> {
    let temporary = beside(path);
    let failed = |action: &'static str, error: &io::Error| {
        // What is left of the attempt is of no use; that it may stay is no second error.
        let _ = fs::remove_file(&temporary);
        CheckpointError::io(action, path, error)
    };
    write_through(&temporary, bytes).map_err(|error| failed("write", &error))?;
    fs::rename(&temporary, path).map_err(|error| failed("replace", &error))?;
    sync_folder(path).map_err(|error| CheckpointError::io("store the folder of", path, &error))
}

/// The name of the attempt: in the same folder, because renaming is atomic only within a file system, and always
/// the same, so that the leftover of a killed process is overwritten by the next one.
pub(super) fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".tmp");
    path.with_file_name(name)
}

fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A new name is safe only once the folder that holds it is.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Folders cannot be opened here; the file system's journal keeps their names.
#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
