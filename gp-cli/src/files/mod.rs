//! Atomic output, streams, training traces, limited reading.

mod disk;
mod inputs;
mod read;

pub(crate) use disk::free_space;
pub use inputs::InputFiles;
pub(crate) use read::{Unread, read_at_most, read_within};

use crate::error::{CliError, ErrorKind};
use gp_optim::files::{self, DiscardedWrites, Existing, Unfinished};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces `name` in `folder` atomically; returns its path.
///
/// # Errors
/// [`Io`](crate::ErrorKind::Io), with the path.
pub fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, CliError> {
    let path = folder.join(name);
    files::replace(&path, bytes).map_err(|cause| unwritten(&path, cause))?;
    Ok(path)
}

/// Output checked in advance, locked until finished or dropped.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    to: To,
}

#[derive(Debug)]
enum To {
    File(Unfinished),
    /// Pipe or device, written directly.
    Stream(File),
}

impl OutputFile {
    /// Output named `word` on the command line. Replacing needs `force`; `inputs` are never replaced. Links
    /// are followed; pipes and devices are written directly.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), with path and advice; [`Usage`](ErrorKind::Usage) for an input file or `-`
    /// (standard output).
    pub fn prepare(word: &str, path: &Path, force: bool, inputs: &InputFiles) -> Result<Self, CliError> {
        if path == Path::new("-") {
            return Err(CliError::usage(format!(
                "{word} takes the name of a file here, not the standard output; a file of the name - is ./-"
            )));
        }
        inputs.check(word, path)?;
        let failed = |cause| unwritten(path, cause);
        let to = if files::is_stream(path) {
            To::Stream(files::open_journal(path, None).map_err(failed)?)
        } else {
            files::sweep(folder_of(path));
            To::File(Unfinished::claim(path, existing(force)).map_err(failed)?)
        };
        Ok(Self { path: path.to_owned(), to })
    }

    /// Path for display.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `true` if readers see incomplete output.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        matches!(self.to, To::Stream(_))
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), with the path.
    pub fn add(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        let added = match &mut self.to {
            To::File(file) => file.write_all(bytes),
            To::Stream(file) => while_read(file.write_all(bytes)),
        };
        added.map_err(|cause| unwritten(&self.path, cause))
    }

    /// Syncs and renames into place.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), with the path.
    pub fn finish(self) -> Result<(), CliError> {
        match self.to {
            To::File(file) => file.finish().map_err(|cause| unwritten(&self.path, cause)),
            To::Stream(_) => Ok(()),
        }
    }

    /// Writes all bytes atomically.
    ///
    /// # Errors
    /// As [`add`](Self::add) and [`finish`](Self::finish).
    pub fn write(mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.add(bytes)?;
        self.finish()
    }
}

/// Lines, each visible once written.
#[derive(Debug)]
pub(crate) struct TraceFile {
    path: PathBuf,
    file: File,
}

impl TraceFile {
    pub(crate) fn prepare(
        word: &str,
        path: &Path,
        (goes_on, force): (bool, bool),
        inputs: &InputFiles,
    ) -> Result<Self, CliError> {
        inputs.check(word, path)?;
        let existing = (!goes_on).then(|| existing(force));
        let file = files::open_journal(path, existing).map_err(|cause| unwritten(path, cause))?;
        Ok(Self { path: path.to_owned(), file })
    }

    pub(crate) fn line(&mut self, text: &str) -> Result<(), CliError> {
        while_read(self.file.write_all(format!("{text}\n").as_bytes()))
            .map_err(|cause| unwritten(&self.path, cause))
    }
}

/// Creates a folder with parents; checks that it is writable.
///
/// # Errors
/// [`Io`](crate::ErrorKind::Io), with the path.
pub fn make_writable_folder(folder: &Path) -> Result<(), CliError> {
    if DiscardedWrites::is_here() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|cause| CliError::io("make the folder", folder, cause))?;
    files::sweep(folder);
    // Permission bits do not show whether writing works, as on network drives.
    let trial = Unfinished::claim(&folder.join(std::process::id().to_string()), Existing::Replace);
    trial.map(drop).map_err(|cause| CliError::io("write into", folder, cause))
}

pub(crate) fn unwritten(path: &Path, cause: io::Error) -> CliError {
    use io::ErrorKind as Why;
    let shown = path.display();
    let advice = match cause.kind() {
        Why::AlreadyExists => {
            let message =
                format!("`{shown}` already exists; replace it with --force, or choose another name");
            return CliError::new(ErrorKind::Io, message);
        }
        Why::IsADirectory => {
            let message = format!("`{shown}` is a folder; choose another name");
            return CliError::new(ErrorKind::Io, message);
        }
        Why::StorageFull | Why::QuotaExceeded | Why::FileTooLarge => "make room, or choose another place",
        Why::NotFound => "make its folder, or choose another place",
        Why::PermissionDenied | Why::ReadOnlyFilesystem => "choose a place that you may write to",
        Why::ResourceBusy => return CliError::io("write", path, cause),
        _ => "choose another place",
    };
    CliError::caused(ErrorKind::Io, format!("cannot write `{shown}` ({advice})"), cause)
}

/// A closed pipe counts as success.
fn while_read(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn existing(force: bool) -> Existing {
    if force { Existing::Replace } else { Existing::Keep }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn files_are_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        write_whole(folder.path(), "a.txt", b"one").unwrap();
        let path = write_whole(folder.path(), "a.txt", b"two").unwrap();
        assert_eq!(fs::read(path).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_failure_leaves_the_old_state() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a.txt")).unwrap();
        let refused = write_whole(folder.path(), "a.txt", b"one").unwrap_err();
        assert!(refused.with_causes().ends_with("is a folder; choose another name"), "{refused}");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn pieces_are_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let prepare = || OutputFile::prepare("--output", &path, false, &InputFiles::none());
        let mut file = prepare().unwrap();
        file.add(b"one, ").unwrap();
        assert!(!path.exists());
        let refused = prepare().unwrap_err();
        assert!(refused.with_causes().contains("another process"), "{refused}");
        drop(file);
        assert!(names(folder.path()).is_empty());
        let mut file = prepare().unwrap();
        ["one, ", "two"].iter().for_each(|text| file.add(text.as_bytes()).unwrap());
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one, two");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn a_name_that_is_taken_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let file = OutputFile::prepare("--output", &path, false, &InputFiles::none()).unwrap();
        fs::write(&path, "theirs").unwrap();
        let refused = file.write(b"ours").unwrap_err();
        assert!(refused.with_causes().contains("already exists"), "{refused}");
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn folders_are_made_and_tried() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/b");
        make_writable_folder(&deep).unwrap();
        make_writable_folder(&deep).unwrap();
        assert!(names(&deep).is_empty());
        write_whole(folder.path(), "file", b"").unwrap();
        assert!(make_writable_folder(&folder.path().join("file")).is_err());
    }
}
