//! From columns of a table to the numbers that a model works with, and back.

mod columns;
mod factors;
mod inputs;
mod labels;
mod observations;
mod raw;
mod roles;
mod rows;
mod survey;
mod target;
mod units;

pub use columns::Columns;
pub use factors::Factors;
pub use inputs::{Encoded, Feature, FeatureEncoding, Inputs, MAX_LEVELS, Unseen};
pub(crate) use labels::QUARTILES;
pub use labels::{LabelCounter, Labels, class_labels};
pub use observations::observations;
pub use raw::{EachRow, Levels, RawPiece};
pub use roles::{Adjuster, Role, RoleValues, Roles, RowRoles};
pub use rows::RowEncoder;
pub use survey::{ColumnSurvey, MOST_VALUES, Survey, Surveyed};
pub(crate) use target::checked;
pub use target::{Target, TargetValues};
