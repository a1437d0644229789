//! Observations as methods see them: rows that can be read some at a time, and sums over them in a fixed order.

mod lanes;
mod source;

pub(crate) use lanes::{Lanes, lane_count, lane_rows};
pub use lanes::{LocalReduction, Reduction};
pub use source::{DataSource, RowReader, Rows, Table};
