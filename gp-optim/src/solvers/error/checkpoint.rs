//! Errors of checkpoints.

use crate::team::TeamError;
use std::io;
use std::path::{Path, PathBuf};

/// Checkpoint that cannot be written or is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The operating system reported an error.
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
    /// The file does not start like a checkpoint.
    #[error("`{}` is not a checkpoint", .path.display())]
    NotACheckpoint {
        /// File.
        path: PathBuf,
    },
    /// The file has an unknown format.
    #[error("checkpoint `{}` has format {found}, but this program reads format {supported}", .path.display())]
    Version {
        /// File.
        path: PathBuf,
        /// Version of its format.
        found: u32,
        /// Newest version that can be read.
        supported: u32,
    },
    /// The file is truncated or altered.
    #[error("checkpoint `{}` is damaged: {what}", .path.display())]
    Damaged {
        /// File.
        path: PathBuf,
        /// Detected damage.
        what: String,
    },
    /// The file belongs to a run with another label.
    #[error("checkpoint `{}` belongs to `{found}`, not to `{expected}`", .path.display())]
    OtherRun {
        /// File.
        path: PathBuf,
        /// Label in the file.
        found: String,
        /// Label of this run.
        expected: String,
    },
    /// The file is undamaged, but of another model or other data.
    #[error("checkpoint `{}` does not fit this run: {what}", .path.display())]
    Unfit {
        /// File.
        path: PathBuf,
        /// Difference found.
        what: String,
    },
    /// Solver or state cannot be encoded.
    #[error("checkpoint `{}` cannot be encoded: {message}", .path.display())]
    Encode {
        /// File to be written.
        path: PathBuf,
        /// Message of the encoder.
        message: String,
    },
    /// The bytes that process 0 read were not received.
    #[error(transparent)]
    Team(#[from] TeamError),
}

impl CheckpointError {
    pub(in crate::solvers) fn io(action: &'static str, path: &Path, error: &io::Error) -> Self {
        Self::Io { action, path: path.to_path_buf(), kind: error.kind(), message: error.to_string() }
    }
}
