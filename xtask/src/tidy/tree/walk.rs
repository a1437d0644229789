//! Files of a crate.

use std::path::Path;

use crate::error::XtaskError;

/// Sorted Rust files below `folder`, relative to `root`.
///
/// Skips build output, hidden folders, separate packages. Works without git, to check unpacked archives.
pub(crate) fn rust_files(root: &Path, folder: &str) -> Result<Vec<String>, XtaskError> {
    let mut files = Vec::new();
    collect(root, folder, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(root: &Path, folder: &str, files: &mut Vec<String>) -> Result<(), XtaskError> {
    let path = root.join(folder);
    let unreadable = |source| XtaskError::Read { path: path.clone(), source };
    for entry in std::fs::read_dir(&path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let below = format!("{folder}/{name}");
        if entry.file_type().map_err(unreadable)?.is_dir() {
            let is_package = entry.path().join("Cargo.toml").is_file();
            if name != "target" && !name.starts_with('.') && !is_package {
                collect(root, &below, files)?;
            }
        } else if name.ends_with(".rs") {
            files.push(below);
        }
    }
    Ok(())
}
