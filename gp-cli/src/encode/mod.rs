//! Encoding of table columns as model numbers, and back.

mod adjuster;
mod column_survey;
mod columns;
mod extremes;
mod factors;
mod feature;
mod inputs;
mod labels;
mod observations;
mod outlier;
mod raw;
mod roles;
mod row_sum;
mod rows;
mod survey;
mod target;
mod units;

pub use adjuster::{Adjuster, RoleValues, RowRoles};
pub(crate) use column_survey::DIGIT_DATES;
pub use column_survey::{ColumnSurvey, Kept, MAX_VALUES, Surveyed};
pub use columns::Columns;
pub use factors::Factors;
pub use feature::{Feature, FeatureEncoding, Filling, MAX_LEVELS};
pub(crate) use feature::{MISSING, too_many_words};
pub use inputs::{Encoded, Inputs, Unseen};
pub(crate) use labels::QUARTILES;
pub use labels::{LabelCounter, Labels, class_labels};
pub use observations::observations;
pub use outlier::Outlier;
pub use raw::{EachRow, Levels, RawPiece};
pub use roles::{Role, Roles};
pub(crate) use row_sum::{row_sum, row_sum_of_both};
pub use rows::RowEncoder;
pub use survey::Survey;
pub(crate) use target::checked;
pub use target::{Target, TargetValues, encode_targets};
