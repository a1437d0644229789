//! Workspace folder and released crates.

use std::path::{Path, PathBuf};

use crate::error::XtaskError;

pub(crate) const RELEASED: [&str; 7] =
    ["gp-linalg", "gp-optim", "gp-kernels", "gp-likelihoods", "gp-ep", "gp-variational", "gp-cli"];

/// Nearest workspace at or above the current folder.
pub(crate) fn root() -> Result<PathBuf, XtaskError> {
    let start =
        std::env::current_dir().map_err(|source| XtaskError::Read { path: PathBuf::from("."), source })?;
    root_above(&start)
}

fn root_above(start: &Path) -> Result<PathBuf, XtaskError> {
    start
        .ancestors()
        .find(|folder| is_workspace_root(folder))
        .map(Path::to_path_buf)
        .ok_or_else(|| XtaskError::NoWorkspace { start: start.to_path_buf() })
}

fn is_workspace_root(folder: &Path) -> bool {
    std::fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| {
        text.parse::<toml::Table>().is_ok_and(|manifest| manifest.contains_key("workspace"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_root_from_a_folder_below_it() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("crate/src");
        std::fs::create_dir_all(&below).unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), "[workspace]\nmembers = [\"crate\"]\n").unwrap();
        std::fs::write(folder.path().join("crate/Cargo.toml"), "[package]\nname = \"crate\"\n").unwrap();
        assert_eq!(root_above(&below).unwrap(), folder.path());
    }

    #[test]
    fn says_where_it_looked_when_there_is_no_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let message = root_above(folder.path()).unwrap_err().to_string();
        assert!(message.contains(&folder.path().display().to_string()), "{message}");
    }
}
