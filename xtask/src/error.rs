//! Errors of developer commands.

use std::path::PathBuf;

use thiserror::Error;

/// Reason for the failure of a developer command, with advice if known.
#[derive(Debug, Error)]
pub(crate) enum XtaskError {
    #[error("no Cargo.toml with a [workspace] table in {} or a folder above it", start.display())]
    NoWorkspace {
        /// The folder the search started from.
        start: PathBuf,
    },
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    #[error("{path}:{line}: invalid syntax: {message}")]
    Syntax {
        /// Path, relative to the workspace root if inside.
        path: String,
        /// Line of the fault, counted from 1.
        line: usize,
        /// Message of the parser.
        message: String,
    },
    #[error("cannot write the report: {0}")]
    Write(#[from] std::io::Error),
    #[error("cannot start `{program}`: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    #[error("{message}")]
    NotInstalled {
        /// Missing part and a command that installs it.
        message: String,
    },
    #[error(
        "{component} is not installed for this toolchain; add it with `rustup component add {component}`"
    )]
    MissingComponent {
        /// The component, in rustup's words.
        component: &'static str,
    },
    #[error("the command ended with {status}")]
    CommandFailed {
        /// Exit status in words.
        status: String,
    },
    #[error("the program ended with exit code {code}")]
    Reported {
        /// Its exit code.
        code: u8,
    },
    #[error("cannot parse the output of `cargo metadata`: {message}")]
    Metadata {
        /// Fault found.
        message: String,
    },
    #[error("supply found {}", count(*faults, "fault"))]
    Supply {
        /// Number of faults.
        faults: usize,
    },
    #[error("tidy found {}", count(*faults, "fault"))]
    Untidy {
        /// Number of faults.
        faults: usize,
    },
    #[error("{} failed; {message}", count(*faults, "round"))]
    Faulty {
        /// Number of faults.
        faults: usize,
        /// Hint where to look.
        message: String,
    },
    /// Steps of `ci` failed; each line names a step, the reason and the command that repeats it.
    #[error("{} failed\n{}", count(failures.len(), "step"), failures.join("\n"))]
    StepsFailed {
        /// One line per failed step, in the order they ran.
        failures: Vec<String>,
    },
}

/// `1 fault`, `2 faults`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
