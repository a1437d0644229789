//! Findings of rules.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// From the workspace root, with `/`.
    pub(crate) path: String,
    pub(crate) line: usize,
    /// Rule name; set by [`check_all`](super::rules::check_all).
    pub(crate) rule: &'static str,
    pub(crate) message: String,
}

impl Finding {
    pub(crate) fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, rule: "", message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: [{}] {}", self.path, self.line, self.rule, self.message)
    }
}
