//! Decisions that a fit has made on its way, in files beside its checkpoint: a fit that goes on does not make them anew.

use crate::error::{CliError, ErrorKind};
use crate::files;
use gp_optim::Control;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// The file about starts of training.
pub(super) const STARTS: &str = "starts.json";
/// The file about a search for a kernel.
pub(super) const SEARCH: &str = "search.json";
/// All files of this kind.
pub(super) const ALL: [&str; 2] = [STARTS, SEARCH];

/// The folder of a checkpoint, if there is one.
#[derive(Clone, Debug)]
pub(super) struct Memo(Option<PathBuf>);

impl Memo {
    /// Beside the checkpoint of a control.
    pub(super) fn beside(control: &Control) -> Self {
        Self(control.checkpoint().and_then(|file| file.path().parent()).map(Path::to_owned))
    }

    /// Decisions before an interruption.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) for an unreadable file, of kind [`Model`](ErrorKind::Model) for a
    /// damaged one.
    pub(super) fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, CliError> {
        let Some(path) = self.0.as_ref().map(|folder| folder.join(name)) else { return Ok(None) };
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(CliError::io("read", &path, cause)),
        };
        let damaged = |cause| {
            CliError::caused(ErrorKind::Model, format!("checkpoint `{}` is damaged", path.display()), cause)
        };
        serde_json::from_slice(&bytes).map(Some).map_err(damaged)
    }

    /// Keeps a decision.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io).
    pub(super) fn write(&self, name: &str, decided: &impl Serialize) -> Result<(), CliError> {
        let Some(folder) = &self.0 else { return Ok(()) };
        let text = serde_json::to_vec_pretty(decided)
            .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot write JSON", cause))?;
        files::write_whole(folder, name, &text).map(drop)
    }
}
