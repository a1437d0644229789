//! Errors of parameters, transforms and priors.

use crate::number::format_number;

/// Invalid parameter, transform or prior.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// Parameter without value.
    #[error("parameter `{name}` has no values")]
    Empty {
        /// Parameter.
        name: String,
    },
    /// Natural value outside the set.
    #[error("parameter `{name}[{index}]` is {}, but must lie in {allowed}", format_number(*.value))]
    OutOfRange {
        /// Parameter.
        name: String,
        /// Element, from 0.
        index: usize,
        /// Given value.
        value: f64,
        /// Valid values.
        allowed: String,
    },
    /// NaN or infinite unconstrained value.
    #[error("unconstrained value of parameter `{name}[{index}]` is {value}, but must be finite")]
    NotFinite {
        /// Parameter.
        name: String,
        /// Element, from 0.
        index: usize,
        /// Given value.
        value: f64,
    },
    /// Wrong length of a slice.
    #[error("parameter `{name}`: expected {expected} {what}, found {found}")]
    WrongLength {
        /// Parameter.
        name: String,
        /// Content of the slice.
        what: &'static str,
        /// Required length.
        expected: usize,
        /// Given length.
        found: usize,
    },
    /// Wrong length for several parameters.
    #[error("{what}: expected {expected} numbers, found {found}")]
    SetLength {
        /// Meaning of the numbers.
        what: &'static str,
        /// Required number.
        expected: usize,
        /// Given number.
        found: usize,
    },
    /// Element that does not exist.
    #[error("parameter `{name}` has no element {index}: it holds {len}")]
    NoSuchElement {
        /// Parameter.
        name: String,
        /// Requested element, from 0.
        index: usize,
        /// Number of elements.
        len: usize,
    },
    /// Empty set or infinite bounds.
    #[error("cannot map a parameter onto {transform}: {reason}")]
    InvalidTransform {
        /// Set of the transform, as text.
        transform: String,
        /// Condition that fails.
        reason: &'static str,
    },
    /// Bounds outside the domain.
    #[error("parameter `{name}` cannot have the bounds {set}: it lies in {domain}")]
    OutsideDomain {
        /// Parameter.
        name: String,
        /// Requested set.
        set: String,
        /// Domain of the parameter.
        domain: String,
    },
    /// Value without prior density.
    #[error("parameter `{name}[{index}]` is {}, where its prior {prior} has no density", format_number(*.value))]
    OutsidePrior {
        /// Parameter.
        name: String,
        /// Element, from 0.
        index: usize,
        /// Value without density.
        value: f64,
        /// Prior as text.
        prior: String,
    },
    /// One number for inputs of different units.
    #[error("parameter `{name}`: one number cannot have different units per column")]
    MixedUnits {
        /// Parameter.
        name: String,
    },
    /// Unknown family of priors.
    #[error("unknown prior `{name}`: known are {known}")]
    UnknownPrior {
        /// Given name.
        name: String,
        /// Known names, separated by commas.
        known: String,
    },
    /// Wrong number of arguments of a prior.
    #[error("prior {signature} was given {found} argument{}", if *.found == 1 { "" } else { "s" })]
    PriorArity {
        /// Family and names of its arguments.
        signature: String,
        /// Number of arguments given.
        found: usize,
    },
    /// Prior argument out of range.
    #[error("prior `{prior}`: {argument} is {}, but must be {allowed}", format_number(*.value))]
    PriorArgument {
        /// Family.
        prior: &'static str,
        /// Name of the invalid argument.
        argument: &'static str,
        /// Given value.
        value: f64,
        /// Condition to meet.
        allowed: &'static str,
    },
    /// Text not of the form `name(number, …)`.
    #[error("cannot read `{text}` as a prior: {reason}")]
    PriorSyntax {
        /// Given text.
        text: String,
        /// Fault in the text.
        reason: &'static str,
    },
}
