//! What can be wrong with groups.

use crate::number::format_number;

/// What can be wrong with groups.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// A name that no group has.
    #[error("there is no group `{name}`: there are {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are, with commas between.
        known: String,
    },
    /// A name given twice.
    #[error("there are two groups `{name}`")]
    Duplicate {
        /// The name that two groups have.
        name: String,
    },
    /// A group of nothing.
    #[error("group `{name}` has no parameters")]
    Empty {
        /// The name of the group without parameters.
        name: String,
    },
    /// A learning rate that is none.
    #[error("the learning rate of group `{name}` is {}, but must be finite and positive", format_number(*.value))]
    Rate {
        /// Name of the group.
        name: String,
        /// The value refused.
        value: f64,
    },
    /// Groups for another number of parameters.
    #[error("the groups hold {groups} parameters, but there are {parameters}")]
    Length {
        /// The number of parameters in all groups.
        groups: usize,
        /// The number of parameters there are.
        parameters: usize,
    },
    /// A schedule in which nothing moves.
    #[error("stage {stage} of the schedule moves no parameters")]
    NothingTrained {
        /// Which stage, counted from 0.
        stage: usize,
    },
    /// A schedule without a stage, or without a round.
    #[error("the schedule has no stages or no rounds")]
    NoStages,
}
