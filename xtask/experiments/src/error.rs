//! Errors of experiments.

use gp_cli::CliError;
use gp_ep::InferenceError;
use gp_kernels::KernelError;
use gp_kernels::data::DataError;
use gp_likelihoods::LikelihoodError;
use gp_linalg::LinalgError;
use gp_optim::{OptimError, TeamError};
use std::path::PathBuf;

/// Reason for the failure of an experiment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// A missing data file.
    #[error("`{}` is not there ({cause}); name the folder of data sets with --data", path.display())]
    NoData {
        /// Place searched.
        path: PathBuf,
        /// Error of the operating system.
        cause: std::io::Error,
    },
    /// A file with invalid content.
    #[error("`{}`, line {line}: {what}", path.display())]
    BadData {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1; 0 without one.
        line: usize,
        /// Fault found.
        what: String,
    },
    /// A missing table that a script makes.
    #[error("`{}` is not there; `python3 xtask/experiments/peers/defaults.py sets --data FOLDER` makes it", path.display())]
    NotMade {
        /// Place searched.
        path: PathBuf,
    },
    /// A failed `gp` command.
    #[error("`gp` ended with code {code}: {said}")]
    Command {
        /// Its exit code.
        code: u8,
        /// Message.
        said: String,
    },
    /// An unknown item name.
    #[error("there is no item `{name}`; there are: {known}")]
    NoItem {
        /// Name given.
        name: String,
        /// All names.
        known: String,
    },
    /// A word that matches no run of the requested items.
    #[error("no run has `{word}` as its data set, setting or method; there are: {known}")]
    NoWord {
        /// Word given.
        word: String,
        /// All names.
        known: String,
    },
    /// An item that supports only its own methods.
    #[error("`{item}` takes no other methods than its own")]
    NoGuests {
        /// Table or figure, by its command-line name.
        item: &'static str,
    },
    /// A cell unknown to its item.
    #[error("`{cell}` is none of this item's runs")]
    NoCell {
        /// The cell, as text.
        cell: String,
    },
    /// Some runs failed; they are rows of the results.
    #[error("{failed} of {all} runs failed; the results say why")]
    Failed {
        /// Number of failed runs.
        failed: usize,
        /// Number of all runs.
        all: usize,
    },
    /// A failed baseline.
    #[error("{method} did not get anywhere: {what}")]
    Baseline {
        /// Method in question.
        method: &'static str,
        /// Reason.
        what: String,
    },
    /// A failed download.
    #[error("cannot fetch {address}: {what}")]
    Fetch {
        /// Address given.
        address: String,
        /// Reason.
        what: String,
    },
    /// Writing to standard output.
    #[error("cannot write to the standard output: {0}")]
    Write(#[from] std::io::Error),
    /// Result files.
    #[error("{0}")]
    Files(String),
    /// Inference, by any method.
    #[error(transparent)]
    Inference(#[from] InferenceError),
    /// Kernels and inducing inputs.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Likelihoods.
    #[error(transparent)]
    Likelihood(#[from] LikelihoodError),
    /// Optimisation.
    #[error(transparent)]
    Optim(#[from] OptimError),
    /// Factorisations.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
    /// Tables of observations.
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
