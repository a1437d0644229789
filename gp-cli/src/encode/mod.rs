//! From columns of a table to the numbers that a model works with, and back.

mod column_survey;
mod feature;
mod inputs;
mod labels;
mod raw;
mod rows;
mod survey;
mod target;
mod units;

pub use column_survey::{ColumnSurvey, Kept, Surveyed};
pub(crate) use feature::MISSING;
pub use feature::{Feature, FeatureEncoding, Filling};
pub use inputs::{Encoded, Inputs, MAX_LEVELS, Unseen};
pub(crate) use labels::QUARTILES;
pub use labels::{LabelCounter, Labels, class_labels};
pub use raw::{EachRow, Levels, RawPiece};
pub use rows::RowEncoder;
pub use survey::{MOST_VALUES, Survey};
pub(crate) use target::checked;
pub use target::{Target, TargetValues};
