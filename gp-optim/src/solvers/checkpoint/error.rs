//! What can be wrong with a checkpoint.

use std::io;
use std::path::{Path, PathBuf};

/// A checkpoint that cannot be written, or one that must not be believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The operating system refused.
    #[error("cannot {action} checkpoint `{}`: {message}", .path.display())]
    Io {
        /// What was to be done.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What kind of refusal it was.
        kind: io::ErrorKind,
        /// The operating system's message.
        message: String,
    },
    /// The file does not begin like a checkpoint.
    #[error("`{}` is not a checkpoint", .path.display())]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// The file is in a format that this version of the program does not know.
    #[error("checkpoint `{}` has format {found}, but this program reads format {supported}", .path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        found: u32,
        /// The newest version that can be read.
        supported: u32,
    },
    /// The file is cut short, or its bytes have changed since they were written.
    #[error("checkpoint `{}` is damaged: {what}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How it shows.
        what: String,
    },
    /// The file was written by a run with another label.
    #[error("checkpoint `{}` belongs to `{found}`, not to `{expected}`", .path.display())]
    OtherRun {
        /// The file.
        path: PathBuf,
        /// The label in the file.
        found: String,
        /// The label of this run.
        expected: String,
    },
    /// The file is whole, but was written with another model or other data.
    #[error("checkpoint `{}` does not fit this run: {what}", .path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// How it shows.
        what: String,
    },
    /// Solver or state cannot be written down.
    #[error("checkpoint `{}` cannot be encoded: {message}", .path.display())]
    Encode {
        /// The file that was to be written.
        path: PathBuf,
        /// The encoder's message.
        message: String,
    },
}

impl CheckpointError {
    pub(super) fn io(action: &'static str, path: &Path, error: &io::Error) -> Self {
        Self::Io { action, path: path.to_path_buf(), kind: error.kind(), message: error.to_string() }
    }
}
