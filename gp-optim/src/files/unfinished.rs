//! Files written under temporary names.

use super::held::{Lock, busy, lock_soon};
use super::leftovers::{beside, remove_unowned};
use super::onlooker::{DiscardedWrites, nowhere};
use super::place::{behind_links, folder_of, is_at};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Temporary names; locked during a rename.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

const TRIES: u32 = 10;

/// Treatment of an existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Kept; writing is an error.
    Keep,
    /// Replaced, with the same permissions.
    Replace,
}

/// Temporary file, removed unless finished.
#[derive(Debug)]
pub struct Unfinished {
    file: BufWriter<File>,
    /// `None` for discarded writes.
    place: Option<Place>,
}

#[derive(Debug)]
struct Place {
    temporary: PathBuf,
    target: PathBuf,
    existing: Existing,
}

impl Unfinished {
    /// Locks a name until finished or dropped; follows links.
    ///
    /// # Errors
    /// As [`open_journal`](super::open_journal).
    pub fn claim(path: &Path, existing: Existing) -> io::Result<Self> {
        if DiscardedWrites::is_here() {
            return Ok(Self { file: BufWriter::new(nowhere()?), place: None });
        }
        if existing == Existing::Keep && fs::symlink_metadata(path).is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let target = behind_links(path)?;
        if target.file_name().is_none() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "it is not the name of a file"));
        }
        let replaced = regular(&target)?;
        let temporary = beside(&target);
        // The list is locked: signals from here on remove the temporary file too.
        let mut unfinished = names();
        let file = claimed(&temporary, replaced.as_ref())?;
        unfinished.push(temporary.clone());
        Ok(Self { file: BufWriter::new(file), place: Some(Place { temporary, target, existing }) })
    }

    /// Syncs and renames the file.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyExists`] with [`Existing::Keep`]; system errors. An existing file is unchanged.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some(Place { temporary, target, existing }) = &self.place else { return Ok(()) };
        if let Some(replaced) = regular(target)? {
            take_owner_and_mode(self.file.get_ref(), &replaced)?;
        }
        self.file.get_ref().sync_all()?;
        let mut unfinished = names();
        if !is_at(self.file.get_ref(), temporary) {
            return Err(io::Error::other("its temporary file was removed by someone else"));
        }
        match existing {
            Existing::Replace => fs::rename(temporary, target)?,
            Existing::Keep => take_free_name(temporary, target)?,
        }
        // From here on, the temporary name may belong to another process.
        unfinished.retain(|name| name != temporary);
        sync_folder(folder_of(target))
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let Some(Place { temporary, .. }) = &self.place else { return };
        let mut unfinished = names();
        if is_at(self.file.get_ref(), temporary) {
            // A leftover is removed by a later sweep.
            let _ = fs::remove_file(temporary);
        }
        unfinished.retain(|name| name != temporary);
    }
}

/// Replaces a file atomically and durably.
///
/// # Errors
/// [`Unfinished::claim`]'s and [`Unfinished::finish`]'s.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = Unfinished::claim(path, Existing::Replace)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Guard that blocks renames.
#[derive(Debug)]
pub struct Abandoned {
    _names: MutexGuard<'static, Vec<PathBuf>>,
}

/// Removes unfinished files, before an exit.
#[must_use]
pub fn abandon() -> Abandoned {
    let mut names = names();
    names.drain(..).for_each(|name| drop(fs::remove_file(name)));
    Abandoned { _names: names }
}

fn names() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn claimed(temporary: &Path, replaced: Option<&fs::Metadata>) -> io::Result<File> {
    for _ in 0..TRIES {
        let mut how = OpenOptions::new();
        how.write(true).create_new(true);
        no_more_open_than(&mut how, replaced);
        match how.open(temporary) {
            Ok(file) => match lock_soon(&file) {
                Lock::Unknown => return Ok(file),
                Lock::Taken if is_at(&file, temporary) => return Ok(file),
                // Another process removed it before it was locked.
                Lock::Taken | Lock::Busy => {}
            },
            Err(error) if error.kind() == ErrorKind::AlreadyExists => take_over(temporary)?,
            Err(error) => return Err(error),
        }
    }
    Err(busy())
}

fn take_over(temporary: &Path) -> io::Result<()> {
    // Opening a pipe could block for ever.
    match fs::symlink_metadata(temporary) {
        Ok(about) if !about.is_file() => {
            let temporary = temporary.display();
            let message = format!("`{temporary}` is in the way and is not a file; remove or rename it");
            return Err(io::Error::new(ErrorKind::InvalidInput, message));
        }
        _ => {}
    }
    let file = match OpenOptions::new().write(true).open(temporary) {
        Ok(file) => file,
        // The owner has finished.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    match lock_soon(&file) {
        Lock::Busy => Err(busy()),
        Lock::Unknown => {
            let temporary = temporary.display();
            let message = format!(
                "`{temporary}` is there, which another process writes or has left; remove it if none runs"
            );
            Err(io::Error::new(ErrorKind::ResourceBusy, message))
        }
        Lock::Taken => {
            drop(file);
            remove_unowned(temporary);
            Ok(())
        }
    }
}

fn regular(target: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::symlink_metadata(target) {
        Ok(about) if about.is_file() => Ok(Some(about)),
        Ok(about) if about.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(_) => Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Renames to an unused name; of two processes, one succeeds.
fn take_free_name(temporary: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, target) {
        Ok(()) => fs::remove_file(temporary),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // Without hard links, an empty file reserves the name.
        Err(_) => {
            drop(File::create_new(target)?);
            fs::rename(temporary, target).inspect_err(|_| drop(fs::remove_file(target)))
        }
    }
}

#[cfg(unix)]
fn no_more_open_than(how: &mut OpenOptions, replaced: Option<&fs::Metadata>) {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    if let Some(replaced) = replaced {
        how.mode(replaced.mode() & 0o666);
    }
}

#[cfg(not(unix))]
fn no_more_open_than(_: &mut OpenOptions, _: Option<&fs::Metadata>) {}

#[cfg(unix)]
fn take_owner_and_mode(file: &File, replaced: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    // Only administrators may change the owner.
    let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()));
    file.set_permissions(replaced.permissions())
}

#[cfg(not(unix))]
fn take_owner_and_mode(file: &File, replaced: &fs::Metadata) -> io::Result<()> {
    file.set_permissions(replaced.permissions())
}

/// Makes renames survive power failures.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// No effect: the file system keeps names.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}
