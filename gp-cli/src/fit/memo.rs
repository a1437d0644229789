//! Decisions of a fit, stored with its checkpoint.

use crate::error::{CliError, ErrorKind};
use crate::files::{self, read_at_most};
use crate::method::{TARGET_STAGE, target_stage};
use gp_optim::{CheckpointFile, Control, Team};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

pub(super) const STARTS: &str = "starts.json";
pub(super) const SEARCH: &str = "search.json";
pub(super) const ALL: [&str; 2] = [STARTS, SEARCH];

const LARGEST: u64 = 16_000_000;

/// Stored decisions; none without a checkpoint.
#[derive(Clone, Debug)]
pub(super) struct Memo {
    folder: Option<PathBuf>,
    end: String,
    team: Team,
}

pub(super) fn of_target(name: &str, target: usize) -> String {
    format!("{name}.{}", target_stage(target))
}

impl Memo {
    pub(super) fn beside(control: &Control) -> Self {
        let file = control.checkpoint().map(CheckpointFile::path);
        let word = file.and_then(Path::extension).map(|word| word.to_string_lossy().into_owned());
        let of_target = word.filter(|word| word.starts_with(TARGET_STAGE));
        let end = of_target.map_or_else(String::new, |word| format!(".{word}"));
        Self { folder: file.and_then(Path::parent).map(Path::to_owned), end, team: control.team().clone() }
    }

    pub(super) fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, CliError> {
        let name = format!("{name}{}", self.end);
        let Some(path) = self.folder.as_ref().map(|folder| folder.join(name)) else { return Ok(None) };
        let bytes = self.team.bytes_of_first(|| match read_at_most(&path, LARGEST) {
            // An empty file is damaged, and so is one that is too long.
            Ok(bytes) => Ok(Some(bytes.unwrap_or_default())),
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(CliError::io("read", &path, cause)),
        })?;
        let Some(bytes) = bytes else { return Ok(None) };
        let damaged = |cause| {
            CliError::caused(ErrorKind::Model, format!("checkpoint `{}` is damaged", path.display()), cause)
        };
        serde_json::from_slice(&bytes).map(Some).map_err(damaged)
    }

    pub(super) fn write(&self, name: &str, decided: &impl Serialize) -> Result<(), CliError> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let text = serde_json::to_vec_pretty(decided)
            .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot write JSON", cause))?;
        files::write_whole(folder, &format!("{name}{}", self.end), &text).map(drop)
    }
}
