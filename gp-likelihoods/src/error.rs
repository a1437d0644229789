//! Errors of this crate.

use gp_optim::ParameterError;
use gp_optim::text::{SyntaxError, around};

/// Error with argument, value and range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LikelihoodError {
    /// Argument outside its domain.
    #[error("{what} is {value}, but must be {allowed}")]
    Argument {
        /// Argument.
        what: &'static str,
        /// Value given.
        value: f64,
        /// Required condition.
        allowed: &'static str,
    },
    /// Integer outside its range.
    #[error("{what} is {value}, but must be {allowed}")]
    Count {
        /// Quantity.
        what: &'static str,
        /// Number given.
        value: usize,
        /// Required condition.
        allowed: &'static str,
    },
    /// Observation is not a label.
    #[error("observation is {value}, but must be a class from 0 to {}", .classes.saturating_sub(1))]
    NoSuchClass {
        /// Observation.
        value: f64,
        /// Number of classes.
        classes: usize,
    },
    /// Integrand that quadrature cannot resolve.
    #[error("an integrand is not finite, or too rough for quadrature, between {low} and {high}")]
    Unresolved {
        /// Start of the last unresolved panel.
        low: f64,
        /// End of that panel.
        high: f64,
    },
    /// Unparsable likelihood expression.
    #[error("column {column} of likelihood expression `{}`: {message}", around(text, *column))]
    Expression {
        /// Full text.
        text: String,
        /// Column in characters, from 1 to one past the end.
        column: usize,
        /// Fault, and remedy.
        message: String,
    },
    /// Invalid argument of an expression; [`parse`](crate::parse) adds the text.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// Unknown likelihood name.
    #[error("no likelihood is called `{name}`; there are {available}{meant}")]
    UnknownName {
        /// Name given.
        name: String,
        /// Available names.
        available: String,
        /// Suggestion by [`did_you_mean`](gp_optim::did_you_mean).
        meant: String,
    },
    /// Name with several meanings.
    #[error("`{name}` may be {first} or {last}; say which")]
    AmbiguousName {
        /// Name given.
        name: String,
        /// Possible names but the last.
        first: String,
        /// Last possible name.
        last: String,
    },
    /// Failure of another crate's likelihood.
    #[error("{message}")]
    Evaluation {
        /// Reason.
        message: String,
    },
    /// Parameter value outside its domain.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

/// Error unless `holds`, which NaN must fail.
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
