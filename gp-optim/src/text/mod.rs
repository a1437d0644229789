//! Syntax of arguments of kernels and likelihoods, such as `name=[0.5, fixed(2)] in [0, none] ~ gamma(2, 1)`.
//!
//! ```text
//! argument = name "=" value | name "=" "[" numbers "]" | name "=" true|false
//! value    = number [ "in" "[" lo "," hi "]" ] [ "~" prior "(" numbers ")" ]
//! number   = 1.5 | fixed(1.5)
//! ```
//!
//! `fixed(…)` excludes a number from training, `in […]` sets bounds (`none`: unbounded), `~ gamma(2, 1)` a prior.
//! Grammars read arguments with a [`Reader`] into [`Arguments`]; [`value_text`] prints values to parse to the same
//! bits.

mod arguments;
mod lexer;
mod reader;
mod value;

pub use arguments::{Argument, Arguments, Value};
pub use lexer::Token;
pub use reader::Reader;
pub use value::{Numbers, value_text};

/// Syntax error: column and reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct SyntaxError {
    /// Column in characters, from 1; end for missing text.
    pub column: usize,
    /// Reason, and correction if known.
    pub message: String,
}

impl SyntaxError {
    /// Error at this column.
    #[must_use]
    pub fn new(column: usize, message: impl Into<String>) -> Self {
        Self { column, message: message.into() }
    }
}
