//! Errors of experiments.

use gp_cli::CliError;
use gp_ep::InferenceError;
use gp_kernels::KernelError;
use gp_kernels::data::DataError;
use gp_likelihoods::LikelihoodError;
use gp_linalg::LinalgError;
use gp_optim::{OptimError, TeamError};
use std::path::PathBuf;

/// Reason why an experiment failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// A missing data file.
    #[error("cannot read `{}` ({cause}); name the folder of data sets with --data", path.display())]
    NoData {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        cause: std::io::Error,
    },
    /// A file with invalid content.
    #[error("`{}`, line {line}: {what}", path.display())]
    BadData {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1; 0 if the fault has no line.
        line: usize,
        /// Fault found.
        what: String,
    },
    /// A missing table that a script writes.
    #[error("`{}` does not exist; create it with `python3 xtask/experiments/peers/defaults.py sets --data FOLDER`", path.display())]
    NotMade {
        /// Path of the table.
        path: PathBuf,
    },
    /// A failed `gp` command.
    #[error("`gp` ended with code {code}: {said}")]
    Command {
        /// Its exit code.
        code: u8,
        /// Its error message.
        said: String,
    },
    /// An unknown item name.
    #[error("unknown item `{name}`; known items: {known}")]
    NoItem {
        /// Name given.
        name: String,
        /// All item names.
        known: String,
    },
    /// A word that matches no run of the requested items.
    #[error("no run has `{word}` as its data set, setting or method; known: {known}")]
    NoWord {
        /// Word given.
        word: String,
        /// All words that match runs.
        known: String,
    },
    /// An item that supports only its own methods.
    #[error("`{item}` does not support other methods than its own")]
    NoGuests {
        /// Name of the item.
        item: &'static str,
    },
    /// A cell unknown to its item.
    #[error("`{cell}` is not a run of this item")]
    NoCell {
        /// The cell, as text.
        cell: String,
    },
    /// Failed runs, which are lines of the results.
    #[error("{failed} of {all} runs failed; the results give the reasons")]
    Failed {
        /// Number of failed runs.
        failed: usize,
        /// Number of all runs.
        all: usize,
    },
    /// A failed baseline.
    #[error("{method} failed: {what}")]
    Baseline {
        /// Name of the baseline.
        method: &'static str,
        /// Reason.
        what: String,
    },
    /// A failed download.
    #[error("cannot fetch {address}: {what}")]
    Fetch {
        /// URL of the file.
        address: String,
        /// Reason.
        what: String,
    },
    /// Failure to write to standard output.
    #[error("cannot write to standard output: {0}")]
    Write(#[from] std::io::Error),
    /// Failure to read or write files, or to set up runs.
    #[error("{0}")]
    Files(String),
    /// Error of an inference method.
    #[error(transparent)]
    Inference(#[from] InferenceError),
    /// Error of a kernel or of inducing inputs.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Error of a likelihood.
    #[error(transparent)]
    Likelihood(#[from] LikelihoodError),
    /// Error of an optimiser.
    #[error(transparent)]
    Optim(#[from] OptimError),
    /// Error of linear algebra.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
    /// Error of a table of observations.
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
