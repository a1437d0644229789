//! Data sources read in parts, and sums over observations in a fixed order.
//!
//! Independent of covariances; in this crate because all methods with inducing inputs need both.

mod error;
mod lanes;
mod loaded;
mod messages;
mod source;
mod spread;
mod team;
pub mod tree;

pub use error::DataError;
pub use lanes::{
    Fault, Lanes, LocalReduction, Reduction, SharedError, agreed, for_each, for_each_pair, lane_count,
    lane_count_of, lane_rows,
};
pub use loaded::Loaded;
pub use messages::{Messages, largest_share};
pub use source::{DataSource, RowReader, Rows, Table};
pub use spread::SpreadRows;
pub use team::TeamReduction;
pub use tree::{Partial, Pool};
