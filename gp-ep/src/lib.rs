//! Power-EP inference for Gaussian processes: exact regression and the pseudo-point family.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod error;
pub mod exact;
pub mod ivm;
pub mod power_ep;
mod powers;
pub mod regression;
mod weights;

pub use error::EpError;
pub use exact::{ExactGp, ExactPosterior, ExactWorkspace, Observations};
pub use power_ep::{BatchEp, EpOptions, Level, PowerEp};
pub use powers::Powers;
pub use regression::{Blocks, RegressionPosterior, RegressionWorkspace, SparseRegression};
pub use weights::Weights;

/// What models here are made of and trained on, so that one crate is enough to name.
pub use gp_kernels::data::{DataError, DataSource, LocalReduction, Reduction, RowReader, Rows, Table};
pub use gp_kernels::inducing::SparseProcess;
pub use gp_optim::{Training, TrainingProgress};
