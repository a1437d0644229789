//! Errors and exit codes.

use crate::interrupt;
use gp_ep::InferenceError;
use gp_kernels::KernelError;
use gp_kernels::data::DataError;
use gp_likelihoods::LikelihoodError;
use gp_optim::{CheckpointError, OptimError, ParameterError, TeamError};
use std::error::Error;
use std::path::Path;

const INFERENCE: &str = "inference failed";

/// Determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Invalid command line.
    Usage,
    /// Invalid data.
    Data,
    /// Invalid model file.
    Model,
    /// Numerical failure.
    Numerical,
    /// Training did not converge, with `--strict`.
    NotConverged,
    /// Unreadable or unwritable file or folder.
    Io,
    /// Failure of another process.
    Elsewhere,
    /// Ended by a signal.
    Interrupted,
}

impl ErrorKind {
    /// Exit code of the command.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::Data => 3,
            Self::Model => 4,
            Self::Numerical => 5,
            Self::NotConverged => 6,
            Self::Io => 7,
            Self::Elsewhere => 8,
            Self::Interrupted => interrupt::EXIT_CODE,
        }
    }
}

/// Error of a command.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CliError {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl CliError {
    /// Error without a cause.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// Error with a cause.
    pub fn caused(
        kind: ErrorKind,
        message: impl Into<String>,
        cause: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self { kind, message: message.into(), source: Some(cause.into()) }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    pub(crate) fn io(doing: &str, path: &Path, cause: std::io::Error) -> Self {
        Self::caused(ErrorKind::Io, format!("cannot {doing} `{}`", path.display()), cause)
    }

    /// Kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Message and causes, joined by colons.
    #[must_use]
    pub fn with_causes(&self) -> String {
        let mut text = self.message.clone();
        let mut cause = self.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text
    }
}

impl From<InferenceError> for CliError {
    fn from(error: InferenceError) -> Self {
        match error {
            InferenceError::Optim(error) => error.into(),
            InferenceError::Kernel(error) => error.into(),
            InferenceError::Likelihood(error) => error.into(),
            InferenceError::Data(error) => error.into(),
            InferenceError::TiedWeight { .. } => {
                let advice = "--sites tied needs a smaller --alpha or larger weights; or take --sites full";
                Self::caused(ErrorKind::Usage, advice, error)
            }
            other => Self::caused(ErrorKind::Numerical, INFERENCE, other),
        }
    }
}

impl From<DataError> for CliError {
    fn from(error: DataError) -> Self {
        let kind = match error {
            DataError::InAnotherProcess { .. } => ErrorKind::Elsewhere,
            _ => ErrorKind::Numerical,
        };
        Self::caused(kind, INFERENCE, error)
    }
}

impl From<TeamError> for CliError {
    fn from(error: TeamError) -> Self {
        Self::new(ErrorKind::Elsewhere, error.to_string())
    }
}

impl From<OptimError> for CliError {
    fn from(error: OptimError) -> Self {
        match error {
            OptimError::Interrupted { .. } => Self::new(ErrorKind::Interrupted, error.to_string()),
            OptimError::Watcher { .. } | OptimError::Checkpoint(CheckpointError::Io { .. }) => {
                Self::new(ErrorKind::Io, error.to_string())
            }
            OptimError::Checkpoint(CheckpointError::Team(error)) => error.into(),
            OptimError::Checkpoint(_) => Self::new(ErrorKind::Model, error.to_string()),
            _ => Self::caused(ErrorKind::Numerical, INFERENCE, error),
        }
    }
}

impl From<ParameterError> for CliError {
    fn from(error: ParameterError) -> Self {
        Self::caused(ErrorKind::Numerical, INFERENCE, error)
    }
}

impl From<KernelError> for CliError {
    fn from(error: KernelError) -> Self {
        Self::caused(ErrorKind::Numerical, "the kernel cannot be used", error)
    }
}

impl From<LikelihoodError> for CliError {
    fn from(error: LikelihoodError) -> Self {
        Self::caused(ErrorKind::Numerical, "the observation model cannot be used", error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_told_in_order() {
        let refused = std::io::Error::other("the disk is full");
        let error = CliError::io("write", Path::new("a/b.csv"), refused);
        assert_eq!(error.with_causes(), "cannot write `a/b.csv`: the disk is full");
        assert_eq!(error.kind().exit_code(), 7);
    }
}
