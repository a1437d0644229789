//! Errors of likelihoods and their arguments.

use gp_optim::ParameterError;
use gp_optim::text::SyntaxError;

/// Error of this crate: argument, value and allowed range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LikelihoodError {
    /// An argument is outside the domain of a function.
    #[error("{what} is {value}, but must be {allowed}")]
    Argument {
        /// Argument.
        what: &'static str,
        /// Value given.
        value: f64,
        /// Condition to meet.
        allowed: &'static str,
    },
    /// A number of things is not possible.
    #[error("{what} is {value}, but must be {allowed}")]
    Count {
        /// Thing counted.
        what: &'static str,
        /// Number given.
        value: usize,
        /// Condition to meet.
        allowed: &'static str,
    },
    /// An observation is none of the labels.
    #[error("observation is {value}, but must be a class from 0 to {}", .classes.saturating_sub(1))]
    NoSuchClass {
        /// Observation.
        value: f64,
        /// Number of classes.
        classes: usize,
    },
    /// Quadrature cannot resolve an integrand.
    #[error("an integrand is not finite, or too rough for quadrature, between {low} and {high}")]
    Unresolved {
        /// Start of the last unresolved panel, in the integration variable.
        low: f64,
        /// End of that panel.
        high: f64,
    },
    /// A likelihood expression does not parse.
    #[error("column {column} of likelihood expression `{text}`: {message}")]
    Expression {
        /// Whole text.
        text: String,
        /// Column in characters, from 1; one past the end if the text is too short.
        column: usize,
        /// Fault and remedy.
        message: String,
    },
    /// An argument of a likelihood expression is invalid; [`parse`](crate::parse) adds the text.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// No likelihood has this name.
    #[error("no likelihood is called `{name}`; there are {available}{meant}")]
    UnknownName {
        /// Name given.
        name: String,
        /// Names available.
        available: String,
        /// End of the message with the name or alias that may be meant, by [`did_you_mean`](gp_optim::did_you_mean).
        meant: String,
    },
    /// A name has several meanings.
    #[error("`{name}` may be {first} or {last}; say which")]
    AmbiguousName {
        /// Name given.
        name: String,
        /// All names it may mean but the last.
        first: String,
        /// Last of them.
        last: String,
    },
    /// Failed evaluation of a likelihood from outside the crate.
    #[error("{message}")]
    Evaluation {
        /// The reason, in its own words.
        message: String,
    },
    /// A parameter value is outside its domain.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

/// Fails unless `holds`, with the argument's name. NaN fails every comparison, so it never holds.
pub(crate) fn check(
    what: &'static str,
    value: f64,
    holds: bool,
    allowed: &'static str,
) -> Result<(), LikelihoodError> {
    if holds { Ok(()) } else { Err(LikelihoodError::Argument { what, value, allowed }) }
}

/// [`check`] for whole numbers.
pub(crate) fn check_count(
    what: &'static str,
    value: usize,
    holds: bool,
    allowed: &'static str,
) -> Result<(), LikelihoodError> {
    if holds { Ok(()) } else { Err(LikelihoodError::Count { what, value, allowed }) }
}
