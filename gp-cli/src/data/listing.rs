//! Table files in a folder.

use crate::error::{CliError, ErrorKind};
use std::fs;
use std::path::{Path, PathBuf};

/// First characters of hidden files and of marks such as `_SUCCESS`.
const NO_TABLES: [char; 2] = ['.', '_'];

/// Table files, by name; fails for no files or nested folders.
pub(crate) fn tables(folder: &str) -> Result<Vec<PathBuf>, CliError> {
    let failed = |cause| CliError::io("read", Path::new(folder), cause);
    let refused = |what: String| CliError::new(ErrorKind::Data, what);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.file_name().to_string_lossy().starts_with(NO_TABLES) {
            continue;
        }
        let path = entry.path();
        if !fs::metadata(&path).map_err(failed)?.is_file() {
            let path = path.display();
            return Err(refused(format!(
                "`{path}` is no file; a table in the folder `{folder}` consists of files alone"
            )));
        }
        found.push(path);
    }
    found.sort();
    if found.is_empty() {
        return Err(refused(format!("`{folder}` is a folder without tables")));
    }
    Ok(found)
}
