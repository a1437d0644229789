//! Data sources, and sums in a fixed order.

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
