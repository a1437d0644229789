//! Files that are whole or not there.

use crate::error::{CliError, ErrorKind};
use crate::interrupt;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Prefix of files on their way to their name; what follows it is random.
const UNFINISHED: &str = ".gp-unfinished-";

/// Replaces the file `name` in `folder` by these bytes: into a temporary file beside it, to the disk, then renamed. Whatever
/// happens on the way, a reader finds the old file or the new one. Returns its path.
///
/// # Errors
/// Of kind [`Io`](crate::ErrorKind::Io), with the path.
pub fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, CliError> {
    let path = folder.join(name);
    interrupt::while_writing(|| replace(folder, &path, bytes))
        .map_err(|cause| CliError::io("write", &path, cause))?;
    Ok(path)
}

fn replace(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = unfinished_in(folder)?;
    file.write_all(bytes)?;
    take_name(file, folder, path)
}

/// To the disk, then renamed.
fn take_name(file: NamedTempFile, folder: &Path, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|refused| refused.error)?;
    sync_folder(folder)
}

/// A file that is to be written, looked after before the work whose results it takes.
#[derive(Clone, Debug)]
pub struct OutputFile {
    folder: PathBuf,
    name: String,
}

impl OutputFile {
    /// A file in a folder that can be written into. One that is there already is replaced by `force` only.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io), with the path and what to do.
    pub fn prepare(path: &Path, force: bool) -> Result<Self, CliError> {
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
            CliError::new(ErrorKind::Io, format!("`{}` is no name of a file", path.display()))
        })?;
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        if path.is_dir() {
            return Err(CliError::new(ErrorKind::Io, format!("`{}` is a folder", path.display())));
        }
        if !force && path.exists() {
            let message = format!(
                "`{}` is there already; replace it with --force, or choose another name",
                path.display()
            );
            return Err(CliError::new(ErrorKind::Io, message));
        }
        unfinished_in(folder).map_err(|cause| CliError::io("write into", folder, cause))?;
        Ok(Self { folder: folder.to_owned(), name: name.to_owned() })
    }

    /// The path, for people.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        if self.folder == Path::new(".") { PathBuf::from(&self.name) } else { self.folder.join(&self.name) }
    }

    /// Begins to write it piece by piece.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io), with the path.
    pub fn begin(&self) -> Result<Unfinished, CliError> {
        let file = unfinished_in(&self.folder).map_err(|cause| CliError::io("write", &self.path(), cause))?;
        interrupt::set_unfinished(Some(file.path().to_owned()));
        Ok(Unfinished { output: self.clone(), file: BufWriter::new(file) })
    }

    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// As [`write_whole`].
    pub fn write(&self, bytes: &[u8]) -> Result<(), CliError> {
        write_whole(&self.folder, &self.name, bytes).map(drop)
    }
}

/// A file that is written piece by piece beside the place that it will have. Dropped before it is finished, or ended by a
/// signal, it is gone.
#[derive(Debug)]
pub struct Unfinished {
    output: OutputFile,
    file: BufWriter<NamedTempFile>,
}

impl Unfinished {
    /// Adds bytes.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io), with the path.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.file.write_all(bytes).map_err(|cause| CliError::io("write", &self.output.path(), cause))
    }

    /// Gives it its name, once it is on the disk.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io), with the path.
    pub fn finish(self) -> Result<(), CliError> {
        let Self { output, file } = self;
        let path = output.path();
        let finished = interrupt::while_writing(|| {
            let file = file.into_inner().map_err(|refused| refused.into_error())?;
            take_name(file, &output.folder, &path)?;
            interrupt::set_unfinished(None);
            Ok(())
        });
        finished.map_err(|cause| CliError::io("write", &path, cause))
    }
}

/// Makes a folder, and all above it, that files can be written into; one that is there already will do.
///
/// # Errors
/// Of kind [`Io`](crate::ErrorKind::Io), with the path.
pub fn make_writable_folder(folder: &Path) -> Result<(), CliError> {
    fs::create_dir_all(folder).map_err(|cause| CliError::io("make the folder", folder, cause))?;
    // Asking for permissions does not tell what writing does, on network drives least of all.
    unfinished_in(folder).map(drop).map_err(|cause| CliError::io("write into", folder, cause))
}

fn unfinished_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    with_usual_permissions(&mut builder);
    builder.tempfile_in(folder)
}

/// As for any new file, instead of the owner's alone: others may be meant to read what is written.
#[cfg(unix)]
fn with_usual_permissions(builder: &mut tempfile::Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn with_usual_permissions(_builder: &mut tempfile::Builder<'_, '_>) {}

/// Makes a new name in a folder survive a power failure.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
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
        assert!(refused.with_causes().starts_with("cannot write `"), "{}", refused.with_causes());
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn pieces_are_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let output = OutputFile::prepare(&folder.path().join("a.txt"), false).unwrap();
        let mut file = output.begin().unwrap();
        file.write(b"one, ").unwrap();
        assert!(!names(folder.path()).contains(&"a.txt".to_owned()));
        drop(file);
        assert!(names(folder.path()).is_empty());
        let mut file = output.begin().unwrap();
        ["one, ", "two"].iter().for_each(|text| file.write(text.as_bytes()).unwrap());
        file.finish().unwrap();
        assert_eq!(fs::read(folder.path().join("a.txt")).unwrap(), b"one, two");
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
