//! Requests beyond the memory limit.

use super::size::{size_flag, size_text};
use crate::error::{CliError, ErrorKind};
use std::fmt;

/// Suggested factor on needed memory, enough for small tables.
const AMPLE: f64 = 4.0;

/// Suggested factor on the program's address space.
const SPACE: f64 = 1.25;
const KILOBYTE: f64 = 1024.0;

/// Origin of a memory limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Free memory of the machine.
    Free,
    /// Control group of the process.
    Group,
    /// Address space of the process (`ulimit -v`).
    AddressSpace {
        /// Bytes for the program and its threads.
        reserved: u64,
        /// Number of threads that compute.
        threads: usize,
    },
    /// Flag `--memory`.
    Flag {
        /// Bytes that the program holds already.
        taken: u64,
    },
    /// Set by a program.
    Given,
}

/// Request beyond the remaining memory.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub struct OverBudget {
    /// Purpose of the memory.
    pub what: String,
    /// Minimum bytes needed.
    pub needed: f64,
    /// Bytes left.
    pub left: f64,
    /// Limit in force.
    pub limit: Limit,
    /// Advice to the user.
    pub advice: String,
}

impl OverBudget {
    /// Command error of this kind.
    #[must_use]
    pub fn of_kind(self, kind: ErrorKind) -> CliError {
        CliError::caused(kind, "not enough memory", self)
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, needed, left, limit, advice } = self;
        let (needed, left) = (size_text(*needed), size_text(*left));
        write!(f, "{what} needs {needed} or more, and ")?;
        let verb = if left.starts_with("1 ") { "is" } else { "are" };
        match limit {
            Limit::Free => write!(f, "{left} {verb} free"),
            Limit::Group => write!(f, "{left} {verb} left to the control group"),
            Limit::AddressSpace { reserved, threads } => {
                let enough = (SPACE * *reserved as f64 + AMPLE * self.needed) / KILOBYTE;
                let fewer = if *threads > 1 { ", or ask for fewer threads with --threads" } else { "" };
                let raise = format!("raise it, such as with ulimit -v {enough:.0}{fewer}");
                let own = size_text(*reserved as f64);
                if self.left == 0.0 {
                    let why = format!("nothing beside {own} for the program and its threads");
                    return write!(f, "the limit of address space leaves {why}; {raise}");
                }
                write!(f, "the limit of address space leaves {left} beside {own} for the program; {raise}")
            }
            // Advice on the table would not help; further needs are unknown yet.
            Limit::Flag { taken } if self.left == 0.0 => {
                let (held, enough) =
                    (size_text(*taken as f64), size_flag(AMPLE * (*taken as f64 + self.needed)));
                let why = format!("nothing: the program already holds {held}");
                return write!(f, "--memory leaves {why}; give it more, such as --memory {enough}");
            }
            Limit::Flag { .. } => write!(f, "--memory leaves {left}"),
            Limit::Given => write!(f, "{left} {verb} left"),
        }?;
        if advice.is_empty() { Ok(()) } else { write!(f, "; {advice}") }
    }
}
