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

use std::borrow::Cow;

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

/// Longest text that errors show whole, in characters.
const SHORT: usize = 200;
/// Characters shown on either side of an error in a longer text.
const AROUND: usize = 60;

/// Text, or if long the part around a column (from 1), for errors.
///
/// ```
/// use gp_optim::text::around;
/// assert_eq!(around("1 * rbf", 3), "1 * rbf");
/// let long = "(".repeat(1_000);
/// assert_eq!(around(&long, 500).chars().count(), 122);
/// ```
#[must_use]
pub fn around(text: &str, column: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= SHORT {
        return text.into();
    }
    let first = column.saturating_sub(AROUND + 1).min(count - 1);
    let part: String = text.chars().skip(first).take(2 * AROUND).collect();
    let begin = if first > 0 { "…" } else { "" };
    let end = if first + 2 * AROUND < count { "…" } else { "" };
    format!("{begin}{part}{end}").into()
}
