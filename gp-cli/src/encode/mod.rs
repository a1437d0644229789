//! From columns of a table to the numbers that a model works with, and back.

mod columns;
mod inputs;
mod labels;
mod raw;
mod rows;
mod survey;
mod target;
mod units;

pub use columns::Columns;
pub use inputs::{Encoded, Feature, FeatureEncoding, Inputs, MAX_LEVELS, Unseen};
pub(crate) use labels::QUARTILES;
pub use labels::{LabelCounter, Labels, class_labels};
pub use raw::{EachRow, Levels, RawPiece};
pub use rows::RowEncoder;
pub use survey::{ColumnSurvey, MOST_VALUES, Survey, Surveyed};
pub(crate) use target::checked;
pub use target::{Target, TargetValues, encode_targets};
