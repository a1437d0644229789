//! Errors of groups and schedules.

use crate::number::format_number;

/// Invalid groups or schedule.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// Unknown name of a group.
    #[error("there is no group `{name}`: there are {known}")]
    Unknown {
        /// Given name.
        name: String,
        /// Known names, separated by commas.
        known: String,
    },
    /// Two groups of one name.
    #[error("there are two groups `{name}`")]
    Duplicate {
        /// Repeated name.
        name: String,
    },
    /// Group without parameters.
    #[error("group `{name}` has no parameters")]
    Empty {
        /// Group.
        name: String,
    },
    /// Invalid learning rate.
    #[error("the learning rate of group `{name}` is {}, but must be finite and positive", format_number(*.value))]
    Rate {
        /// Group.
        name: String,
        /// Given value.
        value: f64,
    },
    /// Groups and model of different size.
    #[error("the groups hold {groups} parameters, but there are {parameters}")]
    Length {
        /// Number of parameters in all groups.
        groups: usize,
        /// Number of parameters of the model.
        parameters: usize,
    },
    /// Stage without trained parameters.
    #[error("stage {stage} of the schedule moves no parameters")]
    NothingTrained {
        /// Stage, from 0.
        stage: usize,
    },
    /// Schedule without stage or round.
    #[error("the schedule has no stages or no rounds")]
    NoStages,
}
