//! Power-EP inference for Gaussian processes: exact regression and the pseudo-point family.
#![doc = ""]
#![doc = include_str!("../README.md")]

pub mod data;
mod error;
pub mod exact;
pub mod power_ep;
pub mod sparse;

pub use data::{DataSource, LocalReduction, Reduction, RowReader, Rows, Table};
pub use error::EpError;
pub use exact::{ExactGp, ExactPosterior, ExactWorkspace, Observations};
pub use power_ep::{BatchEp, EpOptions, Factors, Level, PowerEp, Powers};
pub use sparse::SparseProcess;
