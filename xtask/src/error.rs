//! Errors of developer commands.

use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Error)]
pub(crate) enum XtaskError {
    #[error("no Cargo.toml with a [workspace] table in {} or a folder above it", start.display())]
    NoWorkspace { start: PathBuf },
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error("{path}:{line}: invalid syntax: {message}")]
    Syntax {
        path: String,
        /// Line from 1.
        line: usize,
        message: String,
    },
    #[error("cannot write the report: {0}")]
    Write(#[from] std::io::Error),
    #[error("cannot start `{program}`: {source}")]
    Spawn { program: String, source: std::io::Error },
    #[error("{message}")]
    NotInstalled {
        /// Missing part, and installation command.
        message: String,
    },
    #[error(
        "{component} is not installed for this toolchain; add it with `rustup component add {component}`"
    )]
    MissingComponent { component: &'static str },
    #[error("the command ended with {status}")]
    CommandFailed { status: String },
    #[error("the program ended with exit code {code}")]
    Reported { code: u8 },
    #[error("cannot parse the output of `cargo metadata`: {message}")]
    Metadata { message: String },
    #[error("supply found {}", count(*faults, "fault"))]
    Supply { faults: usize },
    #[error("tidy found {}", count(*faults, "fault"))]
    Untidy { faults: usize },
    #[error("{} failed; {message}", count(*faults, "round"))]
    Faulty { faults: usize, message: String },
    /// Lines: step, reason, command to repeat.
    #[error("{} failed\n{}", count(failures.len(), "step"), failures.join("\n"))]
    StepsFailed { failures: Vec<String> },
}

/// `1 fault`, `2 faults`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
