//! Syntax of values of kernels and likelihoods: `name=1.5`, `name=[0.5, fixed(2)] in [0, none] ~ gamma(2,
//! 1)`.
//!
//! ```text
//! argument = name "=" value | name "=" "[" numbers "]" | name "=" true|false
//! value    = number [ "in" "[" lo "," hi "]" ] [ "~" prior "(" numbers ")" ]
//! number   = 1.5 | fixed(1.5)
//! ```
//!
//! `fixed(…)` holds a number during training, `in […]` bounds it (`none` if open), `~ gamma(2, 1)` sets a
//! prior. [`value_text`] writes text that reads back to the last bit. Grammars read these with a [`Reader`]
//! into [`Arguments`].

mod arguments;
mod lexer;
mod reader;
mod value;

pub use arguments::{Argument, Arguments, Value};
pub use lexer::Token;
pub use reader::Reader;
pub use value::{Numbers, value_text};

/// Text that cannot be read: place and reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct SyntaxError {
    /// Column in characters, from 1; one past the end if the text is too short.
    pub column: usize,
    /// Fault and remedy.
    pub message: String,
}

impl SyntaxError {
    /// Fault at this column.
    #[must_use]
    pub fn new(column: usize, message: impl Into<String>) -> Self {
        Self { column, message: message.into() }
    }
}
