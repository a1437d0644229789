//! Errors of parameters, transforms and priors.

use crate::number::format_number;

/// Invalid parameter, transform or prior, with its name, the invalid value and the valid values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// A parameter has no value.
    #[error("parameter `{name}` has no values")]
    Empty {
        /// Name of the parameter.
        name: String,
    },
    /// A natural value is outside the parameter's set.
    #[error("parameter `{name}[{index}]` is {}, but must lie in {allowed}", format_number(*.value))]
    OutOfRange {
        /// Name of the parameter.
        name: String,
        /// Element, counted from 0.
        index: usize,
        /// Value given.
        value: f64,
        /// Set of valid values.
        allowed: String,
    },
    /// An unconstrained value is NaN or infinite.
    #[error("unconstrained value of parameter `{name}[{index}]` is {value}, but must be finite")]
    NotFinite {
        /// Name of the parameter.
        name: String,
        /// Element, counted from 0.
        index: usize,
        /// Value given.
        value: f64,
    },
    /// A slice has the wrong length.
    #[error("parameter `{name}`: expected {expected} {what}, found {found}")]
    WrongLength {
        /// Name of the parameter.
        name: String,
        /// Content of the slice.
        what: &'static str,
        /// Length needed.
        expected: usize,
        /// Length given.
        found: usize,
    },
    /// A list of numbers for several parameters has the wrong length.
    #[error("{what}: expected {expected} numbers, found {found}")]
    SetLength {
        /// Meaning of the numbers.
        what: &'static str,
        /// Number needed.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// The element does not exist.
    #[error("parameter `{name}` has no element {index}: it holds {len}")]
    NoSuchElement {
        /// Name of the parameter.
        name: String,
        /// Element, counted from 0.
        index: usize,
        /// Number of elements.
        len: usize,
    },
    /// A transform has an empty set or infinite bounds.
    #[error("cannot map a parameter onto {transform}: {reason}")]
    InvalidTransform {
        /// The set, as the transform prints it.
        transform: String,
        /// Condition that fails.
        reason: &'static str,
    },
    /// Bounds are not within the parameter's domain.
    #[error("parameter `{name}` cannot have the bounds {set}: it lies in {domain}")]
    OutsideDomain {
        /// Name of the parameter.
        name: String,
        /// Requested set.
        set: String,
        /// Domain of the parameter.
        domain: String,
    },
    /// A value has no prior density.
    #[error("parameter `{name}[{index}]` is {}, where its prior {prior} has no density", format_number(*.value))]
    OutsidePrior {
        /// Name of the parameter.
        name: String,
        /// Element, counted from 0.
        index: usize,
        /// Value without density.
        value: f64,
        /// Prior as text.
        prior: String,
    },
    /// One number is shared by inputs with different units.
    #[error("parameter `{name}`: one number cannot be in units that differ")]
    MixedUnits {
        /// Name of the parameter.
        name: String,
    },
    /// The family of priors does not exist.
    #[error("unknown prior `{name}`: known are {known}")]
    UnknownPrior {
        /// Name given.
        name: String,
        /// Known names, separated by commas.
        known: String,
    },
    /// A prior has the wrong number of arguments.
    #[error("prior {signature} was given {found} argument{}", if *.found == 1 { "" } else { "s" })]
    PriorArity {
        /// Family with the names of its arguments.
        signature: String,
        /// Number of arguments given.
        found: usize,
    },
    /// A prior's argument is out of range.
    #[error("prior `{prior}`: {argument} is {}, but must be {allowed}", format_number(*.value))]
    PriorArgument {
        /// Family.
        prior: &'static str,
        /// Name of the argument at fault.
        argument: &'static str,
        /// Value given.
        value: f64,
        /// Condition to meet.
        allowed: &'static str,
    },
    /// Text is not of the form `name(number, …)`.
    #[error("cannot read `{text}` as a prior: {reason}")]
    PriorSyntax {
        /// Text given.
        text: String,
        /// Fault found.
        reason: &'static str,
    },
}
