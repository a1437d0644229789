//! Faults of expressions, with place.

use gp_optim::text::SyntaxError;

/// Kernel expression that does not parse: place and reason.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("column {column} of kernel expression `{text}`: {message}")]
pub struct ExpressionError {
    /// Whole text.
    pub text: String,
    /// Column in characters, from 1; one past the end if the text is too short.
    pub column: usize,
    /// Fault and remedy.
    pub message: String,
}

impl ExpressionError {
    pub(super) fn new(text: &str, fault: SyntaxError) -> Self {
        Self { text: text.to_owned(), column: fault.column, message: fault.message }
    }

    /// Text with a caret under the column, on two lines.
    pub fn pointer(&self) -> String {
        format!("{}\n{}^", self.text, " ".repeat(self.column.saturating_sub(1)))
    }
}
