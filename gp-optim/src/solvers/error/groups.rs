//! Errors of groups and schedules.

use crate::number::format_number;

/// Invalid groups or schedule.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// No group has this name.
    #[error("there is no group `{name}`: there are {known}")]
    Unknown {
        /// Name given.
        name: String,
        /// Known names, separated by commas.
        known: String,
    },
    /// Two groups have the same name.
    #[error("there are two groups `{name}`")]
    Duplicate {
        /// Repeated name.
        name: String,
    },
    /// A group has no parameters.
    #[error("group `{name}` has no parameters")]
    Empty {
        /// Group.
        name: String,
    },
    /// A learning rate is invalid.
    #[error("the learning rate of group `{name}` is {}, but must be finite and positive", format_number(*.value))]
    Rate {
        /// Group.
        name: String,
        /// Value given.
        value: f64,
    },
    /// The groups do not have the number of parameters of the model.
    #[error("the groups hold {groups} parameters, but there are {parameters}")]
    Length {
        /// Number of parameters in all groups.
        groups: usize,
        /// Number of parameters of the model.
        parameters: usize,
    },
    /// A stage has no trained parameters.
    #[error("stage {stage} of the schedule moves no parameters")]
    NothingTrained {
        /// Stage, from 0.
        stage: usize,
    },
    /// A schedule has no stage or no round.
    #[error("the schedule has no stages or no rounds")]
    NoStages,
}
