//! Observations as methods see them: rows that can be read some at a time, and sums over them in a fixed order.
//!
//! No covariance is in here. It stands in this crate because every method with inducing inputs needs both, and methods
//! do not import each other.

mod error;
mod lanes;
mod loaded;
mod source;
pub mod tree;

pub use error::DataError;
pub use lanes::{
    Lanes, LocalReduction, Reduction, for_each, for_each_pair, lane_count, lane_count_of, lane_rows,
};
pub use loaded::Loaded;
pub use source::{DataSource, RowReader, Rows, Table};
pub use tree::{Partial, Pool};
