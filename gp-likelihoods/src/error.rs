//! Errors of this crate.

use gp_optim::ParameterError;
use gp_optim::text::SyntaxError;

/// Error of this crate, with argument, value and allowed range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LikelihoodError {
    /// An argument is outside its domain.
    #[error("{what} is {value}, but must be {allowed}")]
    Argument {
        /// Argument.
        what: &'static str,
        /// Value given.
        value: f64,
        /// Required condition.
        allowed: &'static str,
    },
    /// An integer is outside its range.
    #[error("{what} is {value}, but must be {allowed}")]
    Count {
        /// Quantity.
        what: &'static str,
        /// Number given.
        value: usize,
        /// Required condition.
        allowed: &'static str,
    },
    /// An observation is not one of the labels.
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
        /// Full text.
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
        /// Available names.
        available: String,
        /// End of the message with the name or alias that may be meant, by [`did_you_mean`](gp_optim::did_you_mean).
        meant: String,
    },
    /// A name has several meanings.
    #[error("`{name}` may be {first} or {last}; say which")]
    AmbiguousName {
        /// Name given.
        name: String,
        /// All possible names but the last.
        first: String,
        /// Last possible name.
        last: String,
    },
    /// A likelihood from another crate failed.
    #[error("{message}")]
    Evaluation {
        /// Reason given by that likelihood.
        message: String,
    },
    /// A parameter value is outside its domain.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

/// Returns an error naming the argument unless `holds`; `holds` must be a comparison that NaN fails.
pub(crate) fn check(
    what: &'static str,
    value: f64,
    holds: bool,
    allowed: &'static str,
) -> Result<(), LikelihoodError> {
    if holds { Ok(()) } else { Err(LikelihoodError::Argument { what, value, allowed }) }
}

pub(crate) fn check_count(
    what: &'static str,
    value: usize,
    holds: bool,
    allowed: &'static str,
) -> Result<(), LikelihoodError> {
    if holds { Ok(()) } else { Err(LikelihoodError::Count { what, value, allowed }) }
}
