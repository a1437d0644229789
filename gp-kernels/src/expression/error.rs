//! What is wrong with an expression, and where.

use gp_optim::text::SyntaxError;

/// A kernel expression that does not parse: where, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("column {column} of kernel expression `{text}`: {message}")]
pub struct ExpressionError {
    /// The whole text.
    pub text: String,
    /// Column in characters, from 1; one past the end when the text stops too early.
    pub column: usize,
    /// What is wrong there, and what would be right.
    pub message: String,
}

impl ExpressionError {
    pub(super) fn new(text: &str, fault: SyntaxError) -> Self {
        Self { text: text.to_owned(), column: fault.column, message: fault.message }
    }

    /// The text with a caret under the column, on two lines.
    pub fn pointer(&self) -> String {
        format!("{}\n{}^", self.text, " ".repeat(self.column.saturating_sub(1)))
    }
}
