//! From columns of a table to the numbers that a model works with, and back.

mod inputs;
mod labels;
mod rows;
mod survey;
mod target;

pub use inputs::{Encoded, Feature, FeatureEncoding, Inputs, MAX_LEVELS, Unseen};
pub use labels::{LabelCounter, Labels, class_labels};
pub use rows::RowEncoder;
pub use survey::{ColumnSurvey, EachRow, Levels, MOST_VALUES, RawPiece, Survey, Surveyed};
pub(crate) use target::checked;
pub use target::{Target, TargetValues};
