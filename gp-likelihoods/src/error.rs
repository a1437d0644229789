//! What can be wrong with a likelihood or its arguments.

use gp_optim::text::SyntaxError;
use gp_optim::{ParameterError, did_you_mean};

/// An error of this crate: it names the argument, the value and what is allowed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LikelihoodError {
    /// An argument lies outside the set on which the function is defined.
    #[error("{what} is {value}, but must be {allowed}")]
    Argument {
        /// Which argument.
        what: &'static str,
        /// The value refused.
        value: f64,
        /// The condition it has to meet.
        allowed: &'static str,
    },
    /// A number of things is not one that is possible.
    #[error("{what} is {value}, but must be {allowed}")]
    Count {
        /// What was counted.
        what: &'static str,
        /// The number refused.
        value: usize,
        /// The condition it has to meet.
        allowed: &'static str,
    },
    /// An observation is none of the labels.
    #[error("observation is {value}, but must be a class from 0 to {}", .classes.saturating_sub(1))]
    NoSuchClass {
        /// The observation refused.
        value: f64,
        /// The number of classes.
        classes: usize,
    },
    /// Quadrature cannot follow an integrand.
    #[error("an integrand is not finite, or too rough for quadrature, between {low} and {high}")]
    Unresolved {
        /// Where the last panel that was not resolved starts, in the integration variable.
        low: f64,
        /// Where it ends.
        high: f64,
    },
    /// A likelihood expression does not parse.
    #[error("column {column} of likelihood expression `{text}`: {message}")]
    Expression {
        /// The whole text.
        text: String,
        /// Column in characters, from 1; one past the end when the text stops too early.
        column: usize,
        /// What is wrong there, and what would be right.
        message: String,
    },
    /// An argument of a likelihood expression is not what its entry asks for; [`parse`](crate::parse) adds the text.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// No likelihood has this name.
    #[error("no likelihood is called `{name}`; there are {available}{}", did_you_mean(name, available.split(", ")))]
    UnknownName {
        /// The name asked for.
        name: String,
        /// The names there are.
        available: String,
    },
    /// A parameter of the likelihood was given a value outside its domain.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

/// `Ok` when `holds`, otherwise the argument by name. A NaN fails every comparison, so it never holds.
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
