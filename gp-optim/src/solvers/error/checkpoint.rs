//! Errors of checkpoints.

use crate::team::TeamError;
use std::io;
use std::path::{Path, PathBuf};

/// Unwritten or invalid checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Error of the operating system.
    #[error("cannot {action} checkpoint `{}`: {message}", .path.display())]
    Io {
        /// Attempted action.
        action: &'static str,
        /// File.
        path: PathBuf,
        /// Kind of error.
        kind: io::ErrorKind,
        /// Message of the operating system.
        message: String,
    },
    /// File of another kind.
    #[error("`{}` is not a checkpoint", .path.display())]
    NotACheckpoint {
        /// File.
        path: PathBuf,
    },
    /// Unknown format.
    #[error("checkpoint `{}` has format {found}, but this program reads format {supported}", .path.display())]
    Version {
        /// File.
        path: PathBuf,
        /// Version of its format.
        found: u32,
        /// Newest readable version.
        supported: u32,
    },
    /// Truncated or altered file.
    #[error("checkpoint `{}` is damaged: {what}", .path.display())]
    Damaged {
        /// File.
        path: PathBuf,
        /// Detected damage.
        what: String,
    },
    /// Another run's label.
    #[error("checkpoint `{}` belongs to `{found}`, not to `{expected}`", .path.display())]
    OtherRun {
        /// File.
        path: PathBuf,
        /// Label in the file.
        found: String,
        /// Label of this run.
        expected: String,
    },
    /// Valid checkpoint of another model or data.
    #[error("checkpoint `{}` does not fit this run: {what}", .path.display())]
    Unfit {
        /// File.
        path: PathBuf,
        /// Difference found.
        what: String,
    },
    /// Solver or state not encodable.
    #[error("checkpoint `{}` cannot be encoded: {message}", .path.display())]
    Encode {
        /// File to be written.
        path: PathBuf,
        /// Message of the encoder.
        message: String,
    },
    /// Bytes from process 0 were not received.
    #[error(transparent)]
    Team(#[from] TeamError),
}

impl CheckpointError {
    pub(in crate::solvers) fn io(action: &'static str, path: &Path, error: &io::Error) -> Self {
        Self::Io { action, path: path.to_path_buf(), kind: error.kind(), message: error.to_string() }
    }
}
