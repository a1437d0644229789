#![doc = include_str!("../README.md")]

mod cholesky;
mod error;
pub mod halt;
mod jitter_record;
pub mod product;
pub mod reverse;
pub mod rotate;
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
