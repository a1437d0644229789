//! Errors of trying inputs, and failed inputs.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum FuzzError {
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error("there are no files to start from for {name}")]
    NoCorpus { name: String },
    #[error("there are no checkpoints to start from: {cause}")]
    Checkpoint { cause: String },
    #[error("the readers cannot be made: {0}")]
    Readers(#[from] gp_cli::CliError),
    #[error("a worker cannot be started: {0}")]
    Worker(std::io::Error),
    #[error("a worker for {name} did not say what it found: {said}")]
    Silent { name: String, said: String },
    #[error("{count} failed; each is in a file, with the command that repeats it above")]
    Failed { count: String },
}
