//! What can be wrong with a parameter, its transform or its prior.

use crate::number::format_number;

/// A parameter, transform or prior that cannot be: which one, what was found and what is allowed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// A parameter without a single value.
    #[error("parameter `{name}` has no values")]
    Empty {
        /// Name of the parameter.
        name: String,
    },
    /// A natural value outside the set of the parameter's transform.
    #[error("parameter `{name}[{index}]` is {}, but must lie in {allowed}", format_number(*.value))]
    OutOfRange {
        /// Name of the parameter.
        name: String,
        /// Element of the parameter, counted from 0.
        index: usize,
        /// The value refused.
        value: f64,
        /// The set that values must lie in.
        allowed: String,
    },
    /// An unconstrained value that is NaN or infinite.
    #[error("unconstrained value of parameter `{name}[{index}]` is {value}, but must be finite")]
    NotFinite {
        /// Name of the parameter.
        name: String,
        /// Element of the parameter, counted from 0.
        index: usize,
        /// The value refused.
        value: f64,
    },
    /// A slice of the wrong length.
    #[error("parameter `{name}`: expected {expected} {what}, found {found}")]
    WrongLength {
        /// Name of the parameter.
        name: String,
        /// What the slice holds.
        what: &'static str,
        /// The length needed.
        expected: usize,
        /// The length given.
        found: usize,
    },
    /// Numbers for several parameters at once, too many or too few.
    #[error("{what}: expected {expected} numbers, found {found}")]
    SetLength {
        /// What the numbers are.
        what: &'static str,
        /// How many are needed.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// An element that does not exist.
    #[error("parameter `{name}` has no element {index}: it holds {len}")]
    NoSuchElement {
        /// Name of the parameter.
        name: String,
        /// The element asked for, counted from 0.
        index: usize,
        /// How many elements there are.
        len: usize,
    },
    /// A transform onto a set that is empty or not bounded by finite numbers.
    #[error("cannot map a parameter onto {transform}: {reason}")]
    InvalidTransform {
        /// The set, as written by the transform.
        transform: String,
        /// The condition that fails.
        reason: &'static str,
    },
    /// Bounds that reach beyond what the parameter can ever be.
    #[error("parameter `{name}` cannot have the bounds {set}: it lies in {domain}")]
    OutsideDomain {
        /// Name of the parameter.
        name: String,
        /// The set asked for.
        set: String,
        /// The set that the parameter was made for.
        domain: String,
    },
    /// A value to which the prior gives no density at all.
    #[error("parameter `{name}[{index}]` is {}, where its prior {prior} has no density", format_number(*.value))]
    OutsidePrior {
        /// Name of the parameter.
        name: String,
        /// Element of the parameter, counted from 0.
        index: usize,
        /// The value that the prior excludes.
        value: f64,
        /// The prior, as text.
        prior: String,
    },
    /// A value, bounds or a prior that all elements share, although their units differ.
    #[error("parameter `{name}`: {what} cannot be in units that differ by element")]
    MixedUnits {
        /// Name of the parameter.
        name: String,
        /// What is shared.
        what: &'static str,
    },
    /// A family of priors that does not exist.
    #[error("unknown prior `{name}`: known are {known}")]
    UnknownPrior {
        /// The name asked for.
        name: String,
        /// The names there are, with commas between.
        known: String,
    },
    /// The wrong number of arguments for a family of priors.
    #[error("prior {signature} was given {found} arguments")]
    PriorArity {
        /// The family with the names of its arguments.
        signature: String,
        /// The number of arguments given.
        found: usize,
    },
    /// An argument for which the density does not exist.
    #[error("prior `{prior}`: {argument} is {}, but must be {allowed}", format_number(*.value))]
    PriorArgument {
        /// Name of the family.
        prior: &'static str,
        /// Name of the argument.
        argument: &'static str,
        /// The value refused.
        value: f64,
        /// The condition it has to meet.
        allowed: &'static str,
    },
    /// Text that is not of the form `name(number, …)`.
    #[error("cannot read `{text}` as a prior: {reason}")]
    PriorSyntax {
        /// The text given.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}
