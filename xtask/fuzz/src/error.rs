//! Errors of this program.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum FuzzError {
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error("no corpus for reader {name}")]
    NoCorpus { name: String },
    #[error("cannot make checkpoints: {cause}")]
    Checkpoint { cause: String },
    #[error("cannot prepare the readers: {0}")]
    Readers(#[from] gp_cli::CliError),
    #[error("cannot start a worker: {0}")]
    Worker(std::io::Error),
    #[error("a worker for {name} reported no result: {said}")]
    Silent { name: String, said: String },
    #[error("{count} failed; the files and the commands that repeat them are listed above")]
    Failed { count: String },
}
