//! Gaussian-process inference: sparse Power EP, exact regression, informative vector machine.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod closed_evidence;
mod column;
pub mod design;
mod error;
pub mod exact;
mod inference;
pub mod ivm;
mod latent_model;
mod learning;
mod noisy;
pub mod operations;
mod posterior;
pub mod power_ep;
mod powers;
pub mod regression;
mod uncertain;

pub use closed_evidence::ClosedEvidence;
pub use error::{InferenceError, check_count};
pub use exact::{ExactGp, ExactPosterior, ExactWorkspace, Observations};
pub use inference::{EvidenceKind, Inference, LogEvidence};
pub use latent_model::LatentModel;
pub use learning::{EvaluationState, Learning, LearningRecord, OnEvaluation, Steps, Trained};
pub use posterior::{
    InputShare, Posterior, Predicted, Predictor, Recombined, ShareOptions, Spanned, Temperature,
    VarianceShares, WrapsPosterior,
};
pub use power_ep::{BatchEp, EpOptions, Level, PowerEp};
pub use powers::Powers;
pub use regression::{Blocks, RegressionWorkspace, SparseRegression};
pub use uncertain::ParameterDraws;

/// Types of other crates in signatures.
pub use gp_kernels::data::{DataError, DataSource, LocalReduction, Reduction, RowReader, Rows, Table};
pub use gp_kernels::inducing::SparseProcess;
pub use gp_optim::{Training, TrainingProgress};
