//! Resolution of paths.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Maximum links in a row, as Linux.
const LINKS: usize = 40;

/// Follows links, even to missing files; circular ones are errors.
pub(super) fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = folder_of(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "links lead in a circle"))
}

pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != OsStr::new("")).unwrap_or(Path::new("."))
}

/// `true` for paths to the same file, even missing.
#[must_use]
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(a), Ok(b)) => is_same(&a, &b).unwrap_or_else(|| is_same_path(one, other)),
        (Err(_), Err(_)) => is_same_path(one, other),
        _ => false,
    }
}

fn is_same_path(one: &Path, other: &Path) -> bool {
    let plain = |path: &Path| {
        let path = behind_links(path).ok()?;
        Some(fs::canonicalize(folder_of(&path)).ok()?.join(path.file_name()?))
    };
    plain(one).is_some_and(|place| Some(place) == plain(other))
}

/// `true` for pipes, character devices, `/dev/stdout`.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    let Ok(about) = fs::metadata(path) else { return false };
    is_pipe_or_device(&about) || (about.is_file() && is_descriptor(path))
}

fn is_descriptor(path: &Path) -> bool {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        if fs::canonicalize(folder_of(&path)).is_ok_and(|folder| folder.starts_with("/proc")) {
            return true;
        }
        match fs::read_link(&path) {
            Ok(to) => path = folder_of(&path).join(to),
            Err(_) => return false,
        }
    }
    false
}

/// Does not follow a final link.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::symlink_metadata(path)) {
        // Without file numbers, an open file cannot be replaced.
        (Ok(a), Ok(b)) => is_same(&a, &b).unwrap_or(true),
        _ => false,
    }
}

/// `None` on systems without file numbers.
#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> Option<bool> {
    use std::os::unix::fs::MetadataExt;
    Some((a.dev(), a.ino()) == (b.dev(), b.ino()))
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> Option<bool> {
    None
}

#[cfg(unix)]
fn is_pipe_or_device(about: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = about.file_type();
    kind.is_fifo() || kind.is_char_device()
}

#[cfg(not(unix))]
fn is_pipe_or_device(_: &Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn files_are_known_through_links() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "").unwrap();
        fs::write(at("b"), "").unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        symlink("a", at("soft")).unwrap();
        symlink("new", at("dangling")).unwrap();
        symlink("round", at("round")).unwrap();
        for same in [["a", "hard"], ["soft", "hard"], ["new", "dangling"], ["a", "./a"]] {
            assert!(is_same_file(&at(same[0]), &at(same[1])), "{same:?}");
        }
        for other in [["a", "b"], ["a", "new"], ["new", "newer"], ["round", "a"]] {
            assert!(!is_same_file(&at(other[0]), &at(other[1])), "{other:?}");
        }
        assert_eq!(behind_links(&at("soft")).unwrap(), at("a"));
        assert!(behind_links(&at("round")).is_err());
    }

    #[test]
    fn devices_are_streams_and_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        assert!(is_stream(Path::new("/dev/null")));
        assert!(!is_stream(&folder.path().join("a")) && !is_stream(folder.path()));
        assert!(!is_stream(&folder.path().join("nowhere")));
    }
}
