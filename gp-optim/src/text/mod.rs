//! The words that kernels and likelihoods are written in: `name=1.5`, `name=[0.5, fixed(2)] in [0, none] ~ gamma(2, 1)`.
//!
//! ```text
//! argument = name "=" value | name "=" "[" numbers "]" | name "=" true|false
//! value    = number [ "in" "[" lo "," hi "]" ] [ "~" prior "(" numbers ")" ]
//! number   = 1.5 | fixed(1.5)
//! ```
//!
//! `fixed(…)` keeps a number as it is during training, `in […]` bounds it (`none` where it is open), `~ gamma(2, 1)`
//! puts a prior on it. What [`value_text`] writes reads back to the same parameter, to the last bit. Grammars around
//! these words read them with a [`Reader`] and hand [`Arguments`] to whoever knows what they mean.

mod arguments;
mod lexer;
mod reader;
mod value;

pub use arguments::{Argument, Arguments, Value};
pub use lexer::Token;
pub use reader::Reader;
pub use value::{Numbers, value_text};

/// A text that cannot be read: where, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct SyntaxError {
    /// Column in characters, from 1; one past the end when the text stops too early.
    pub column: usize,
    /// What is wrong there, and what would be right.
    pub message: String,
}

impl SyntaxError {
    /// A fault at this column.
    #[must_use]
    pub fn new(column: usize, message: impl Into<String>) -> Self {
        Self { column, message: message.into() }
    }
}
