//! From columns of a table to the numbers that a model works with, and back.

mod inputs;
mod target;

pub use inputs::{Encoded, Feature, FeatureEncoding, Inputs, MAX_LEVELS};
pub use target::{Target, TargetValues, class_labels};
