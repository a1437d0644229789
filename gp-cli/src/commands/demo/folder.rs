//! Output folder of the demo.

use crate::error::{CliError, ErrorKind};
use crate::files::{self, read_at_most};
use crate::model::Model;
use std::fs;
use std::path::{Path, PathBuf};

pub(super) const ORIGIN: &str = "gp demo";
pub(super) const MODEL: &str = "model.gp";
const LARGEST_MODEL: u64 = 64_000_000;

#[derive(Debug)]
pub(super) struct OutputFolder {
    path: PathBuf,
}

impl OutputFolder {
    /// Creates the folder; without `force`, only if empty or a demo's.
    pub(super) fn prepare(path: &Path, force: bool) -> Result<Self, CliError> {
        if !force && is_foreign(path)? {
            let message = format!(
                "the folder `{}` holds files that `{ORIGIN}` did not make; choose another with --output, or write into it with --force",
                path.display()
            );
            return Err(CliError::new(ErrorKind::Io, message));
        }
        files::make_writable_folder(path)?;
        Ok(Self { path: path.to_owned() })
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, CliError> {
        files::write_whole(&self.path, name, bytes)
    }
}

fn is_foreign(path: &Path) -> Result<bool, CliError> {
    let mut entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(cause) => return Err(CliError::io("read the folder", path, cause)),
    };
    let is_empty = entries.next().is_none();
    let model = read_at_most(&path.join(MODEL), LARGEST_MODEL).ok().flatten();
    let is_ours = model.is_some_and(|bytes| Model::origin_of(&bytes).as_deref() == Some(ORIGIN));
    Ok(!is_empty && !is_ours)
}
