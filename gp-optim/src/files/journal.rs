//! Files written line by line, readable while they are written.

use super::held::{Lock, busy, lock_soon};
use super::onlooker::{DiscardedWrites, nowhere};
use super::place::is_stream;
use super::unfinished::Existing;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Opens a file or stream for appending; with `None`, a file may exist.
///
/// # Errors
/// [`ErrorKind::AlreadyExists`] with [`Existing::Keep`], [`ErrorKind::ResourceBusy`] if locked,
/// [`ErrorKind::InvalidInput`] unless regular; system errors.
pub fn open_journal(path: &Path, existing: Option<Existing>) -> io::Result<File> {
    if DiscardedWrites::is_here() {
        return nowhere();
    }
    if is_stream(path) {
        return OpenOptions::new().append(true).open(path);
    }
    if fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut how = OpenOptions::new();
    how.append(true);
    match existing {
        Some(Existing::Keep) => how.create_new(true),
        _ => how.create(true),
    };
    let file = how.open(path)?;
    if lock_soon(&file) == Lock::Busy {
        return Err(busy());
    }
    if existing == Some(Existing::Replace) {
        file.set_len(0)?;
    }
    Ok(file)
}
