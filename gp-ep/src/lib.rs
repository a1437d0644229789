//! Power-EP inference for Gaussian processes: exact regression and the pseudo-point family.
#![doc = ""]
#![doc = include_str!("../README.md")]

pub mod data;
mod error;
pub mod exact;
pub mod ivm;
pub mod power_ep;
mod powers;
pub mod regression;
pub mod sparse;
mod train;

pub use data::{DataSource, LocalReduction, Reduction, RowReader, Rows, Table};
pub use error::EpError;
pub use exact::{ExactGp, ExactPosterior, ExactWorkspace, Observations};
pub use power_ep::{BatchEp, EpOptions, Factors, Level, PowerEp};
pub use powers::Powers;
pub use regression::{Blocks, RegressionPosterior, RegressionWorkspace, SparseRegression};
pub use sparse::SparseProcess;
pub use train::{Progress, Step, Training, train};
