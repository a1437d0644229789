#![doc = include_str!("../README.md")]

mod cholesky;
mod error;
mod jitter_record;
pub mod product;
pub mod reverse;
pub mod rotate;
pub mod stop_condition;
mod threading;
mod triangular;
mod upper_state;
pub mod vector;

pub use cholesky::{Cholesky, JitterPolicy};
pub use error::LinalgError;
pub use faer;
pub use jitter_record::JitterRecord;
pub use pulp;
pub use threading::Threading;
