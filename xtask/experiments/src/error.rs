//! Errors of experiments.

use gp_cli::CliError;
use gp_ep::InferenceError;
use gp_kernels::KernelError;
use gp_kernels::data::DataError;
use gp_likelihoods::LikelihoodError;
use gp_linalg::LinalgError;
use gp_optim::{OptimError, TeamError};
use std::path::PathBuf;

/// Failure of an experiment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// Missing data file.
    #[error("cannot read `{}` ({cause}); name the folder of data sets with --data", path.display())]
    NoData {
        /// File path.
        path: PathBuf,
        /// Operating system error.
        cause: std::io::Error,
    },
    /// File with invalid content.
    #[error("`{}`, line {line}: {what}", path.display())]
    BadData {
        /// File path.
        path: PathBuf,
        /// Line, from 1; 0 if none.
        line: usize,
        /// Fault found.
        what: String,
    },
    /// Missing table that a script writes.
    #[error("`{}` does not exist; create it with `python3 xtask/experiments/peers/defaults.py sets --data FOLDER`", path.display())]
    NotMade {
        /// Table path.
        path: PathBuf,
    },
    /// Failed `gp` command.
    #[error("`gp` ended with code {code}: {said}")]
    Command {
        /// Exit code.
        code: u8,
        /// Error message.
        said: String,
    },
    /// Unknown item.
    #[error("unknown item `{name}`; known items: {known}")]
    NoItem {
        /// Name given.
        name: String,
        /// All item names.
        known: String,
    },
    /// Word that matches no run.
    #[error("no run has `{word}` as its data set, setting or method; known: {known}")]
    NoWord {
        /// Word given.
        word: String,
        /// All words that match.
        known: String,
    },
    /// Item without support for guests.
    #[error("`{item}` does not support other methods than its own")]
    NoGuests {
        /// Item name.
        item: &'static str,
    },
    /// Cell unknown to its item.
    #[error("`{cell}` is not a run of this item")]
    NoCell {
        /// Cell as text.
        cell: String,
    },
    /// Failed runs, recorded in the results.
    #[error("{failed} of {all} runs failed; the results give the reasons")]
    Failed {
        /// Failed runs.
        failed: usize,
        /// All runs.
        all: usize,
    },
    /// Failed baseline.
    #[error("{method} failed: {what}")]
    Baseline {
        /// Baseline name.
        method: &'static str,
        /// Reason.
        what: String,
    },
    /// Failed download.
    #[error("cannot fetch {address}: {what}")]
    Fetch {
        /// File URL.
        address: String,
        /// Reason.
        what: String,
    },
    /// Unwritable standard output.
    #[error("cannot write to standard output: {0}")]
    Write(#[from] std::io::Error),
    /// Failed file access or set-up.
    #[error("{0}")]
    Files(String),
    /// Inference failed.
    #[error(transparent)]
    Inference(#[from] InferenceError),
    /// Invalid kernel or inducing inputs.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Likelihood failed.
    #[error(transparent)]
    Likelihood(#[from] LikelihoodError),
    /// Optimiser failed.
    #[error(transparent)]
    Optim(#[from] OptimError),
    /// Linear algebra failed.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
    /// Invalid table of observations.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl From<CliError> for ExperimentError {
    fn from(error: CliError) -> Self {
        Self::Files(error.with_causes())
    }
}

impl From<TeamError> for ExperimentError {
    fn from(error: TeamError) -> Self {
        Self::Data(error.into())
    }
}
