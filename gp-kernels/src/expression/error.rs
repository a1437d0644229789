//! Errors in expressions.

use gp_optim::text::{SyntaxError, around};

/// Error in a kernel expression.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("column {column} of kernel expression `{}`: {message}", around(text, *column))]
pub struct ExpressionError {
    /// Whole text.
    pub text: String,
    /// Character column, from 1; past the end for missing text.
    pub column: usize,
    /// Problem and remedy.
    pub message: String,
}

impl ExpressionError {
    pub(super) fn new(text: &str, fault: SyntaxError) -> Self {
        Self { text: text.to_owned(), column: fault.column, message: fault.message }
    }

    /// Text above a caret at the column.
    pub fn pointer(&self) -> String {
        format!("{}\n{}^", self.text, " ".repeat(self.column.saturating_sub(1)))
    }
}
