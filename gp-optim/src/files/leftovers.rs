//! Temporary names and leftovers of killed processes.

use super::held::{Lock, try_lock};
use super::onlooker::DiscardedWrites;
use super::place::{behind_links, is_at, is_same_file};
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

const PREFIX: &str = ".gp-unfinished-";
/// Accepted by all file systems.
const LONGEST: usize = 200;

/// Temporary name: in the same folder, for an atomic rename, and constant, to find other processes' locks.
pub(super) fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let mut temporary = OsString::from(PREFIX);
    if name.len() <= LONGEST {
        temporary.push(name);
    } else {
        temporary.push(name.to_string_lossy().chars().take(LONGEST / 4).collect::<String>());
    }
    path.with_file_name(temporary)
}

/// `true` if writing `output` would replace `file` as a leftover under the temporary name.
#[must_use]
pub fn is_temporary_of(file: &Path, output: &Path) -> bool {
    behind_links(output).is_ok_and(|target| is_same_file(file, &beside(&target)))
}

/// Removes a folder's unlocked unfinished files.
pub fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| starts_with(&entry.file_name(), PREFIX));
    ours.for_each(|entry| remove_unowned(&entry.path()));
}

#[cfg(feature = "solvers")]
pub(crate) fn remove_leftover(path: &Path) {
    remove_unowned(&beside(path));
}

fn starts_with(name: &OsStr, prefix: &str) -> bool {
    name.as_encoded_bytes().starts_with(prefix.as_bytes())
}

pub(super) fn remove_unowned(path: &Path) {
    if DiscardedWrites::is_here() {
        return;
    }
    // Opening a pipe could block for ever.
    if !fs::symlink_metadata(path).is_ok_and(|about| about.is_file()) {
        return;
    }
    let Ok(file) = OpenOptions::new().write(true).open(path) else { return };
    // Locked until removed; a process that claims this name meanwhile tries again.
    if try_lock(&file) == Lock::Taken && is_at(&file, path) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{Existing, Unfinished};

    #[test]
    fn files_without_an_owner_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at(".gp-unfinished-killed"), "half").unwrap();
        fs::write(at("mine"), "").unwrap();
        fs::create_dir(at(".gp-unfinished-folder")).unwrap();
        let living = Unfinished::claim(&at("living"), Existing::Replace).unwrap();
        sweep(folder.path());
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, [".gp-unfinished-folder", ".gp-unfinished-living", "mine"]);
        drop(living);
        assert!(!at(".gp-unfinished-living").exists());
    }

    #[test]
    fn long_names_have_temporary_ones_too() {
        let folder = tempfile::tempdir().unwrap();
        for letter in ["n", "ß"] {
            let path = folder.path().join(letter.repeat(254 / letter.len()));
            crate::files::replace(&path, b"text").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"text");
        }
    }
}
